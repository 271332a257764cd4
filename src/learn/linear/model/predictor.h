// A trained model of any kind that predicts: a linear one (learn/linear/model/linear_model.h) or a
// network (learn/torch/network_predictor.h, because to compute a network takes libtorch).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sample.h"
#include "learn/linear/model/linear_model.h"

namespace surety::learn {

class Predictor {
 public:
  virtual ~Predictor() = default;

  // Appends one prediction for each sample to `out`: a label, or a number for a regression. If
  // `scores` is not null, appends to it one score for each sample and each of classes().
  // InvalidInput, with found and expected, if the samples are no input of this model.
  [[nodiscard]] virtual Result<void> apply(const data::Samples& samples, const data::Schema& schema,
                                           std::vector<double>& out,
                                           std::vector<double>* scores) = 0;
  // The same without scores.
  [[nodiscard]] Result<void> predict(const data::Samples& samples, const data::Schema& schema,
                                     std::vector<double>& out) {
    return apply(samples, schema, out, nullptr);
  }
  // Adds the quality of the predictions. REQUIRES: samples with labels; one prediction for each of
  // them, from predict().
  virtual void score(const data::Samples& samples, const std::vector<double>& predictions,
                     PredictionScore& sums) const = 0;
  [[nodiscard]] virtual bool classifies() const = 0;
  // The labels that the model may predict, in the order of their scores; empty for a regression.
  [[nodiscard]] virtual std::vector<int> classes() const = 0;
  // Whether the scores of a sample are probabilities, whose sum is 1. Otherwise they are decision
  // values, and a larger one means a more certain class.
  [[nodiscard]] virtual bool gives_probabilities() const = 0;
  [[nodiscard]] virtual std::uint64_t features() const = 0;
  // The columns of the training data, one for each feature; empty if the model does not know them.
  [[nodiscard]] virtual const std::vector<std::string>& feature_names() const = 0;
};

// The number of samples with a sparse feature that a model of `features` features does not know.
// O(samples).
[[nodiscard]] std::uint64_t samples_beyond(std::uint64_t features, const data::Samples& samples);

[[nodiscard]] std::unique_ptr<Predictor> make_linear_predictor(LinearModel model);

}  // namespace surety::learn
