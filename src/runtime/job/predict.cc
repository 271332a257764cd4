#include "runtime/job/predict.h"

#include <algorithm>

#include "data/formats/open_reader.h"

namespace surety::runtime {
namespace {

// Samples of a block. With so many, the work for each block hardly slows reading down. If samples
// are larger than 64 KiB, kBlockBytes is the lower limit.
constexpr std::size_t kBlockSamplesMax = 1024;
constexpr std::uint64_t kBlockBytes = 64 << 20;

std::size_t block_samples(const data::Schema& schema) {
  if (schema.layout == data::Layout::kSparse) return kBlockSamplesMax;
  const std::uint64_t width = schema.layout == data::Layout::kDenseF32 ? sizeof(float) : 1;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, schema.features * width);
  return std::clamp<std::uint64_t>(kBlockBytes / bytes, 1, kBlockSamplesMax);
}

// If the column of the labels is read as a feature, a table has one feature more than the model.
std::string column_hint(const data::SourceUrl& url, const data::Reader& reader) {
  const bool may_have_one = url.scheme == data::Scheme::kCsv && !reader.has_labels();
  return may_have_one ? "; if a column has the labels, name it: ?label=COLUMN" : "";
}

}  // namespace

Result<Predicted> predict_source(learn::Predictor& model, const data::SourceUrl& url,
                                 data::Labels labels, Scores scores, const data::OpenFile& open,
                                 const PredictionSink& sink) {
  SURETY_TRY(const auto reader,
             data::open_reader(url, open, {.labels = labels, .columns = model.feature_names()}));
  const std::size_t block = block_samples(reader->schema());
  Predicted done;
  done.has_columns = !reader->columns().empty();
  done.ignored_columns = reader->ignored_columns();
  if (reader->has_labels()) done.score.emplace();
  while (true) {
    data::Samples samples;
    SURETY_TRY(const std::size_t count, reader->read(block, samples));
    if (count > 0) {
      PredictedBlock made;
      const auto predicted = model.apply(samples, reader->schema(), made.predictions,
                                         scores == Scores::kWanted ? &made.scores : nullptr);
      if (!predicted) {
        return fail(predicted.error().code, "data {}: samples from {} on: {}{}", url.text,
                    done.samples, predicted.error().message, column_hint(url, *reader));
      }
      done.samples += count;
      done.unknown_features += learn::samples_beyond(model.features(), samples);
      if (done.score) model.score(samples, made.predictions, *done.score);
      SURETY_TRY(sink(made));
    }
    if (count == block) continue;
    if (done.samples > 0) return done;
    return fail(ErrorCode::kInvalidInput, "data {}: found no samples, expected at least one",
                url.text);
  }
}

}  // namespace surety::runtime
