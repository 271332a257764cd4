// A trained model of any kind that predicts: a linear one (learn/linear/model/linear_model.h) or a
// network (learn/torch/network_predictor.h, because to compute a network takes libtorch).
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "data/sample.h"
#include "learn/linear/model/linear_model.h"

namespace surety::learn {

class Predictor {
 public:
  virtual ~Predictor() = default;

  // Appends one prediction for each sample to `out`: a label, or a number for a regression.
  // InvalidInput, with found and expected, if the samples are no input of this model.
  [[nodiscard]] virtual Result<void> predict(const data::Samples& samples,
                                             const data::Schema& schema,
                                             std::vector<double>& out) = 0;
  // Adds how good the predictions were. REQUIRES: one prediction for each sample, from predict().
  virtual void score(const data::Samples& samples, const std::vector<double>& predictions,
                     PredictionScore& sums) const = 0;
  [[nodiscard]] virtual bool classifies() const = 0;
};

[[nodiscard]] std::unique_ptr<Predictor> make_linear_predictor(LinearModel model);

}  // namespace surety::learn
