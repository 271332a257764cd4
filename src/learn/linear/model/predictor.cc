#include "learn/linear/model/predictor.h"

#include <utility>

namespace surety::learn {
namespace {

class LinearPredictor final : public Predictor {
 public:
  explicit LinearPredictor(LinearModel model) : model_(std::move(model)) {}

  Result<void> predict(const data::Samples& samples, const data::Schema& schema,
                       std::vector<double>& out) override {
    return learn::predict(model_, samples, schema, out);
  }
  void score(const data::Samples& samples, const std::vector<double>& predictions,
             PredictionScore& sums) const override {
    learn::score(model_, samples, predictions, sums);
  }
  bool classifies() const override { return model_.classifies(); }

 private:
  LinearModel model_;
};

}  // namespace

std::unique_ptr<Predictor> make_linear_predictor(LinearModel model) {
  return std::make_unique<LinearPredictor>(std::move(model));
}

}  // namespace surety::learn
