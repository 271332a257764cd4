// A trained linear model by itself, as model files hold it: it predicts, and knows nothing of how
// it came about.
//
// The decision value of column c for a sample x is  w_c.x + b_c bias.  A regression has one column,
// whose value is the prediction. A classifier of two classes has one column, and predicts its first
// label where the value is above 0, else its second; one of more classes has a column for each, and
// predicts the label of the largest value, the first of equals. So does LIBLINEAR.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sample.h"

namespace surety::learn {

struct LinearColumn {
  std::vector<double> weights;  // One a feature.
  double bias_weight = 0;       // Of the constant feature; unused where there is none.
};

struct LinearModel {
  std::string solver;       // What LIBLINEAR calls it: L2R_LR_DUAL, ... (liblinear_model.h)
  std::vector<int> labels;  // Empty: a regression.
  std::uint32_t features = 0;
  double bias = -1;  // Value of a constant feature behind the others; negative: none.
  std::vector<LinearColumn> columns;

  [[nodiscard]] bool classifies() const { return !labels.empty(); }
};

// One prediction a sample, appended to `out`: a label, or a number for a regression. Features count
// as learn/rows.h says: bytes as x / 255, and sparse features that the model does not know weigh
// nothing.
// InvalidInput where dense samples have another number of features than the model.
// O(non-zeros * columns).
[[nodiscard]] Result<void> predict(const LinearModel& model, const data::Samples& samples,
                                   const data::Schema& schema, std::vector<double>& out);

// How good predictions were; sums, so that those of blocks of samples add up.
struct PredictionScore {
  std::uint64_t samples = 0;
  std::uint64_t correct = 0;           // Classification.
  double square_error_sum = 0;         // Regression.
  std::uint64_t unknown_features = 0;  // Samples with a sparse feature that the model lacks.
};

// Adds one block. Where the model's labels are 1 and -1, a sample's label 0 counts as -1, and the
// other way round: data files use both.
// REQUIRES: one prediction a sample, from predict().
void score(const LinearModel& model, const data::Samples& samples,
           const std::vector<double>& predictions, PredictionScore& sums);

}  // namespace surety::learn
