#include "learn/linear/model/linear_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/check.h"
#include "learn/linear/model/rows.h"

namespace surety::learn {
namespace {

double decision(const LinearModel& model, const LinearColumn& column, const Rows& rows,
                std::size_t row) {
  const double bias = model.bias ? *model.bias * column.bias_weight : 0;
  return rows.products(row, std::span<const double>(column.weights)).dot + bias;
}

// The prediction that follows from the decision values of a sample, one for each column. Not finite
// if one of them is not: such a value says nothing about the label.
double prediction_of(const LinearModel& model, std::span<const double> values) {
  const auto bad =
      std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
  if (bad != values.end()) return *bad;
  const double first = values.front();
  if (!model.classifies()) return first;
  if (values.size() == 1) return model.labels[first > 0 || model.labels.size() == 1 ? 0 : 1];
  return model.labels[static_cast<std::size_t>(std::ranges::max_element(values) - values.begin())];
}

// The rows of samples that the model can read.
Result<Rows> rows_for(const LinearModel& model, const data::Samples& samples,
                      const data::Schema& schema) {
  SURETY_CHECK(!model.columns.empty());
  SURETY_CHECK(model.labels.size() <= 2 || model.columns.size() == model.labels.size());
  if (schema.layout != data::Layout::kSparse && schema.features != model.features) {
    return fail(ErrorCode::kInvalidInput,
                "found {} features in each sample, expected {}, as in the model", schema.features,
                model.features);
  }
  data::Schema known = schema;
  known.features = model.features;
  return Rows::of(samples, known);
}

// The value of the logistic function.
double logistic(double decision) { return 1 / (1 + std::exp(-decision)); }

// Appends the scores that follow from the decision values of a sample, one for each label.
void append_scores(const LinearModel& model, std::vector<double> values, std::vector<double>& out) {
  if (values.size() < model.labels.size()) values.push_back(-values.front());
  if (gives_probabilities(model)) {
    std::ranges::transform(values, values.begin(), logistic);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    for (double& value : values) {
      value = sum > 0 ? value / sum : 1.0 / static_cast<double>(values.size());
    }
  }
  out.insert(out.end(), values.begin(), values.end());
}

// Whether the model distinguishes the label 1 from the other label, which is -1 or 0 in data files.
bool is_plus_minus(const std::vector<int>& labels) {
  const auto negative = [](int label) { return label == -1 || label == 0; };
  return labels.size() == 2 &&
         ((labels[0] == 1 && negative(labels[1])) || (labels[1] == 1 && negative(labels[0])));
}

}  // namespace

Result<void> predict(const LinearModel& model, const data::Samples& samples,
                     const data::Schema& schema, std::vector<double>& out,
                     std::vector<double>* scores) {
  SURETY_TRY(const Rows rows, rows_for(model, samples, schema));
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    values.clear();
    for (const LinearColumn& column : model.columns) {
      values.push_back(decision(model, column, rows, row));
    }
    out.push_back(prediction_of(model, values));
    if (!std::isfinite(out.back())) {
      return fail(ErrorCode::kInvalidInput,
                  "sample {} of them: found a prediction of {}, expected a finite number: the "
                  "features of the sample or the weights of the model are too large",
                  row + 1, out.back());
    }
    if (scores != nullptr && model.classifies()) append_scores(model, values, *scores);
  }
  return {};
}

bool gives_probabilities(const LinearModel& model) {
  // The names of LIBLINEAR's logistic regressions.
  return model.solver == "L2R_LR" || model.solver == "L2R_LR_DUAL" || model.solver == "L1R_LR";
}

void score(const LinearModel& model, const data::Samples& samples,
           const std::vector<double>& predictions, PredictionScore& sums) {
  SURETY_CHECK(predictions.size() == samples.size());
  const bool plus_minus = is_plus_minus(model.labels);
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const double label = samples.label[row];
    const double predicted = predictions[row];
    const bool both_negative = plus_minus && (label == -1 || label == 0) && predicted != 1;
    ++sums.samples;
    sums.correct += model.classifies() && (predicted == label || both_negative) ? 1 : 0;
    if (!model.classifies()) sums.square_error_sum += (predicted - label) * (predicted - label);
  }
}

}  // namespace surety::learn
