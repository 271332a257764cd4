// A trained linear model with the contents of a model file: all that prediction needs, and nothing
// about the training.
//
// The decision value of column c for a sample x is  w_c.x + b_c bias.  A regression has one column,
// whose value is the prediction. A classifier of two classes has one column, and predicts its first
// label if the value is above 0, otherwise its second. A classifier of more classes has a column
// for each, and predicts the label of the largest value, the first one if values are equal.
// LIBLINEAR does the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sample.h"

namespace surety::learn {

struct LinearColumn {
  std::vector<double> weights;  // One weight for each feature.
  double bias_weight = 0;       // Weight of the constant feature; unused if there is none.
};

struct LinearModel {
  std::string solver;       // LIBLINEAR's name: L2R_LR_DUAL, ... (liblinear_model.h)
  std::vector<int> labels;  // Empty for a regression.
  std::uint32_t features = 0;
  // The columns of the training data, one for each feature; empty if they are not known.
  std::vector<std::string> feature_names{};
  std::optional<double> bias{};  // Value of a constant feature behind the others.
  std::vector<LinearColumn> columns;

  [[nodiscard]] bool classifies() const { return !labels.empty(); }
};

// Appends one prediction for each sample to `out`: a label, or a number for a regression. Features
// have the values of learn/linear/model/rows.h: bytes are x / 255, and sparse features that the
// model does not know have weight zero. InvalidInput if dense samples do not have the number of
// features of the model, or if a prediction is not a finite number. O(non-zeros * columns).
//
// If `scores` is not null and the model classifies, appends to it for each sample one score for
// each label, in the order of model.labels. A logistic regression gives probabilities; of more than
// two labels, each has its own regression, and their values are divided by their sum, as LIBLINEAR
// does. Any other model gives decision values; with one column, that of the second label is the
// negated one.
[[nodiscard]] Result<void> predict(const LinearModel& model, const data::Samples& samples,
                                   const data::Schema& schema, std::vector<double>& out,
                                   std::vector<double>* scores = nullptr);

// Whether scores are probabilities: the model is a logistic regression.
[[nodiscard]] bool gives_probabilities(const LinearModel& model);

// The quality of predictions. All members are sums, so the scores of blocks of samples can be added
// up.
struct PredictionScore {
  std::uint64_t samples = 0;
  std::uint64_t correct = 0;    // Used only for classification.
  double square_error_sum = 0;  // Used only for regression.
};

// Adds one block. If the model's labels are 1 and -1, a sample's label 0 counts as -1; if they are
// 1 and 0, -1 counts as 0. Data files use both.
// REQUIRES: one prediction for each sample, from predict().
void score(const LinearModel& model, const data::Samples& samples,
           const std::vector<double>& predictions, PredictionScore& sums);

}  // namespace surety::learn
