#include "learn/linear/model/predictor.h"

#include <utility>

namespace surety::learn {
namespace {

class LinearPredictor final : public Predictor {
 public:
  explicit LinearPredictor(LinearModel model) : model_(std::move(model)) {}

  Result<void> apply(const data::Samples& samples, const data::Schema& schema,
                     std::vector<double>& out, std::vector<double>* scores) override {
    return learn::predict(model_, samples, schema, out, scores);
  }
  void score(const data::Samples& samples, const std::vector<double>& predictions,
             PredictionScore& sums) const override {
    learn::score(model_, samples, predictions, sums);
  }
  bool classifies() const override { return model_.classifies(); }
  std::vector<int> classes() const override { return model_.labels; }
  bool gives_probabilities() const override { return learn::gives_probabilities(model_); }
  std::uint64_t features() const override { return model_.features; }
  const std::vector<std::string>& feature_names() const override { return model_.feature_names; }

 private:
  LinearModel model_;
};

}  // namespace

std::uint64_t samples_beyond(std::uint64_t features, const data::Samples& samples) {
  std::uint64_t beyond = 0;
  // Indices ascend within a sample, so its last one is the largest.
  for (std::size_t row = 0; row + 1 < samples.row_begin.size(); ++row) {
    const std::uint64_t end = samples.row_begin[row + 1];
    const bool some = end > samples.row_begin[row];
    beyond += some && samples.index[end - 1] >= features ? 1 : 0;
  }
  return beyond;
}

std::unique_ptr<Predictor> make_linear_predictor(LinearModel model) {
  return std::make_unique<LinearPredictor>(std::move(model));
}

}  // namespace surety::learn
