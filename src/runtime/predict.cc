#include "runtime/predict.h"

#include <algorithm>

#include "data/formats/open_reader.h"

namespace surety::runtime {
namespace {

// Large enough that per-block work does not slow reading down; images of 1 MB fill the 64 MiB.
constexpr std::size_t kBlockSamplesMax = 1024;
constexpr std::uint64_t kBlockBytes = 64 << 20;

std::size_t block_samples(const data::Schema& schema) {
  if (schema.layout == data::Layout::kSparse) return kBlockSamplesMax;
  const std::uint64_t width = schema.layout == data::Layout::kDenseF32 ? sizeof(float) : 1;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, schema.features * width);
  return std::clamp<std::uint64_t>(kBlockBytes / bytes, 1, kBlockSamplesMax);
}

}  // namespace

Result<learn::PredictionScore> predict_source(learn::Predictor& model, const data::SourceUrl& url,
                                              const data::OpenFile& open,
                                              const PredictionSink& sink) {
  SURETY_TRY(const auto reader, data::open_reader(url, open));
  const std::size_t block = block_samples(reader->schema());
  learn::PredictionScore sums;
  while (true) {
    data::Samples samples;
    SURETY_TRY(const std::size_t count, reader->read(block, samples));
    if (count > 0) {
      std::vector<double> predictions;
      const auto predicted = model.predict(samples, reader->schema(), predictions);
      if (!predicted) {
        return fail_in(predicted.error(), "data {}: samples from {} on", url.text, sums.samples);
      }
      model.score(samples, predictions, sums);
      SURETY_TRY(sink(predictions));
    }
    if (count == block) continue;
    if (sums.samples > 0) return sums;
    return fail(ErrorCode::kInvalidInput, "data {}: found no samples, expected at least one",
                url.text);
  }
}

}  // namespace surety::runtime
