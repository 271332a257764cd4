#include "learn/rows.h"

namespace surety::learn {
namespace {

Result<void> expect_values(std::size_t found, std::size_t samples, std::size_t features) {
  if (features != 0 && found / features == samples && found % features == 0) return {};
  return fail(ErrorCode::kInvalidInput, "samples hold {} values, expected {} of {} features each",
              found, samples, features);
}

}  // namespace

Result<Rows> Rows::of(const data::Samples& samples, const data::Schema& schema) {
  switch (schema.layout) {
    case data::Layout::kDenseU8:
      SURETY_TRY(expect_values(samples.u8.size(), samples.size(), schema.features));
      break;
    case data::Layout::kDenseF32:
      SURETY_TRY(expect_values(samples.f32.size(), samples.size(), schema.features));
      break;
    case data::Layout::kSparse: {
      const bool fits = samples.size() == 0 || (samples.row_begin.size() == samples.size() + 1 &&
                                                samples.row_begin.back() == samples.index.size() &&
                                                samples.index.size() == samples.f32.size());
      if (!fits) {
        return fail(ErrorCode::kInvalidInput,
                    "{} sparse samples hold {} row offsets, {} indices and {} values",
                    samples.size(), samples.row_begin.size(), samples.index.size(),
                    samples.f32.size());
      }
    }
  }
  return Rows(samples, schema);
}

}  // namespace surety::learn
