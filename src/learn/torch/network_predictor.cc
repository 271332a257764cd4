#include "learn/torch/network_predictor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/check.h"
#include "learn/network/inputs.h"
#include "learn/sample_check.h"
#include "model/torch/network.h"

namespace surety::learn {
namespace {

// Memory for the values between layers grows with this number.
constexpr std::size_t kBatch = 256;

// The largest score is subtracted first, so that no power overflows.
void append_softmax(std::span<const float> scores, float largest, std::vector<double>& out) {
  double sum = 0;
  for (const float score : scores) sum += std::exp(double{score} - largest);
  for (const float score : scores) out.push_back(std::exp(double{score} - largest) / sum);
}

class NetworkPredictor final : public Predictor {
 public:
  explicit NetworkPredictor(TrainedNetwork trained)
      : trained_(std::move(trained)), network_(trained_.spec) {
    SURETY_CHECK(trained_.parameters.size() == network_.parameters().size());
    std::ranges::copy(trained_.parameters, network_.parameters().begin());
    trained_.parameters = {};
  }

  Result<void> apply(const data::Samples& samples, const data::Schema& schema,
                     std::vector<double>& out, std::vector<double>* scores) override {
    SURETY_TRY(check_input(trained_, schema));
    SURETY_TRY(check_samples(samples, schema));
    data::Schema known = schema;
    known.features = static_cast<std::uint32_t>(trained_.spec.input.features());
    known.classes = trained_.spec.input.classes;
    for (std::size_t begin = 0; begin < samples.size(); begin += kBatch) {
      const std::size_t end = std::min(begin + kBatch, samples.size());
      batch_.clear();
      for (std::size_t row = begin; row < end; ++row) {
        SURETY_TRY(append_sample(samples, known, row, batch_));
      }
      SURETY_TRY(predict_batch(out, scores));
    }
    return {};
  }

  void score(const data::Samples& samples, const std::vector<double>& predictions,
             PredictionScore& sums) const override {
    SURETY_CHECK(predictions.size() == samples.size());
    for (std::size_t row = 0; row < samples.size(); ++row) {
      ++sums.samples;
      sums.correct += predictions[row] == samples.label[row] ? 1 : 0;
    }
  }

  bool classifies() const override { return true; }
  std::vector<int> classes() const override {
    std::vector<int> classes(trained_.spec.input.classes);
    std::iota(classes.begin(), classes.end(), 0);
    return classes;
  }
  bool gives_probabilities() const override { return true; }
  std::uint64_t features() const override { return trained_.spec.input.features(); }
  const std::vector<std::string>& feature_names() const override { return trained_.feature_names; }

 private:
  Result<void> predict_batch(std::vector<double>& out, std::vector<double>* probabilities) {
    const std::size_t classes = trained_.spec.input.classes;
    scores_.resize(batch_.size() * classes);
    network_.predict(batch_.inputs, scores_);
    if (!std::ranges::all_of(scores_, [](float score) { return std::isfinite(score); })) {
      return fail(ErrorCode::kInvalidInput,
                  "found a score that is not a finite number: the features of a sample or the "
                  "weights of the network are too large");
    }
    for (auto row = scores_.begin(); row != scores_.end();) {
      const auto end = row + static_cast<std::ptrdiff_t>(classes);
      const auto best = std::max_element(row, end);
      out.push_back(static_cast<double>(best - row));
      if (probabilities != nullptr) append_softmax({row, end}, *best, *probabilities);
      row = end;
    }
    return {};
  }

  TrainedNetwork trained_;
  model::TorchNetwork network_;
  Batch batch_;
  std::vector<float> scores_;
};

}  // namespace

std::unique_ptr<Predictor> make_network_predictor(TrainedNetwork network) {
  return std::make_unique<NetworkPredictor>(std::move(network));
}

}  // namespace surety::learn
