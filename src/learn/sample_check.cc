#include "learn/sample_check.h"

namespace surety::learn {
namespace {

Result<void> check_dense(std::size_t found, std::size_t samples, std::size_t features) {
  if (features != 0 && found / features == samples && found % features == 0) return {};
  return fail(ErrorCode::kInvalidInput, "{} values, expected {} samples of {} features each", found,
              samples, features);
}

Result<void> check_sparse(const data::Samples& samples) {
  if (samples.size() == 0) return {};
  const bool fits = samples.row_begin.size() == samples.size() + 1 &&
                    samples.row_begin.back() == samples.index.size() &&
                    samples.index.size() == samples.f32.size();
  if (fits) return {};
  return fail(ErrorCode::kInvalidInput,
              "{} sparse samples with {} row offsets (expected one more), {} indices and {} values",
              samples.size(), samples.row_begin.size(), samples.index.size(), samples.f32.size());
}

}  // namespace

Result<void> check_samples(const data::Samples& samples, const data::Schema& schema) {
  switch (schema.layout) {
    case data::Layout::kDenseU8:
      return check_dense(samples.u8.size(), samples.size(), schema.features);
    case data::Layout::kDenseF32:
      return check_dense(samples.f32.size(), samples.size(), schema.features);
    case data::Layout::kSparse:
      return check_sparse(samples);
  }
  return fail(ErrorCode::kInvalidInput, "layout {}, expected a known one",
              static_cast<int>(schema.layout));
}

}  // namespace surety::learn
