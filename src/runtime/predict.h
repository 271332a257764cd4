// A trained model applied to a data source, block by block: a source may be larger than memory.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "data/reader.h"
#include "learn/linear/model/predictor.h"

namespace surety::runtime {

// Receives the predictions of a block of samples, in the order of the source.
using PredictionSink = std::function<Result<void>(const std::vector<double>&)>;

// Reads the source once, to its end. InvalidInput for a malformed or empty source, and for one that
// does not fit the model; also returns an error of the sink. Memory: one block of samples.
[[nodiscard]] Result<learn::PredictionScore> predict_source(learn::Predictor& model,
                                                            const data::SourceUrl& url,
                                                            const data::OpenFile& open,
                                                            const PredictionSink& sink);

}  // namespace surety::runtime
