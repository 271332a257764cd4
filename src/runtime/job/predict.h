// A trained model applied to a data source, block by block: a source may be larger than memory.
//
// If the model and the source both name their features, these are matched by name: columns may have
// another order, and there may be more of them. Otherwise features are taken by their place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/reader.h"
#include "data/url.h"
#include "learn/linear/model/predictor.h"

namespace surety::runtime {

// The predictions of a block of samples, in the order of the source.
struct PredictedBlock {
  std::vector<double> predictions;
  std::vector<double> scores;  // Those of Predictor::apply(); empty unless they are wanted.
};
using PredictionSink = std::function<Result<void>(const PredictedBlock&)>;

enum class Scores : std::uint8_t { kNone, kWanted };

struct Predicted {
  std::uint64_t samples = 0;
  // Samples with a sparse feature that the model does not know.
  std::uint64_t unknown_features = 0;
  std::optional<learn::PredictionScore> score;  // None if the samples have no labels.
  bool has_columns = false;                     // The source names its features.
  // Columns of the source that are neither its label nor a feature of the model, in their order.
  std::vector<std::string> ignored_columns;
};

// Reads the source once, to its end. InvalidInput for a malformed or empty source, and for one that
// does not fit the model; also returns an error of the sink. Memory: one block of samples.
[[nodiscard]] Result<Predicted> predict_source(learn::Predictor& model, const data::SourceUrl& url,
                                               data::Labels labels, Scores scores,
                                               const data::OpenFile& open,
                                               const PredictionSink& sink);

}  // namespace surety::runtime
