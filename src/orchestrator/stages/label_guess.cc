#include "orchestrator/stages/label_guess.h"

#include <cmath>
#include <map>
#include <span>

#include "model/zoo.h"

namespace surety::orchestrator {

namespace {

using Sources = std::span<const data::SourceInfo>;

Sources judging(const std::vector<data::SourceInfo>& sources,
                const std::optional<data::SourceInfo>& validation) {
  return validation ? Sources(&*validation, 1) : Sources(sources);
}

// The shares of all labels; empty if they are not known.
std::map<float, double> shares_of(Sources sources) {
  std::map<float, double> shares;
  double all = 0;
  for (const data::SourceInfo& source : sources) {
    for (const auto& [label, count] : source.label_histogram) {
      shares[label] += static_cast<double>(count);
      all += static_cast<double>(count);
    }
  }
  if (all == 0) return {};
  for (auto& [label, share] : shares) share /= all;
  return shares;
}

}  // namespace

std::optional<CommonLabel> common_label(Sources sources) {
  std::optional<CommonLabel> most;
  for (const auto& [label, share] : shares_of(sources)) {
    if (!most || share > most->share) most = CommonLabel{label, share};
  }
  return most;
}

std::optional<LabelGuess> label_guess(const job::Job& job,
                                      const std::vector<data::SourceInfo>& sources,
                                      const std::optional<data::SourceInfo>& validation) {
  const plan::Metric metric = job.promise.metric;
  const bool is_accuracy = metric == plan::Metric::kAccuracy;
  const bool is_log_loss = metric == plan::Metric::kValidationLoss &&
                           (!model::is_linear(job.model.zoo) || job.model.zoo == "logistic");
  const Sources judges = judging(sources, validation);
  const std::optional<CommonLabel> most = common_label(judges);
  if (!most || (!is_accuracy && !is_log_loss)) return std::nullopt;
  if (is_accuracy) return LabelGuess{most->share, *most};
  double entropy = 0;
  for (const auto& [label, share] : shares_of(judges)) {
    if (share > 0) entropy -= share * std::log(share);
  }
  return LabelGuess{entropy, *most};
}

std::optional<MeanGuess> mean_guess(const job::Job& job,
                                    const std::vector<data::SourceInfo>& sources,
                                    const std::optional<data::SourceInfo>& validation) {
  if (job.promise.metric != plan::Metric::kValidationLoss) return std::nullopt;
  if (!model::is_regression(job.model.zoo)) return std::nullopt;
  const Sources judges = judging(sources, validation);
  double samples = 0;
  double sum = 0;
  for (const data::SourceInfo& source : judges) {
    samples += static_cast<double>(source.samples);
    sum += static_cast<double>(source.samples) * source.hints.label_mean;
  }
  if (samples == 0) return std::nullopt;
  const double mean = sum / samples;
  double squares = 0;
  for (const data::SourceInfo& source : judges) {
    const auto count = static_cast<double>(source.samples);
    const double off = source.hints.label_mean - mean;
    const double deviation = source.hints.label_deviation;
    squares += (count - 1) * deviation * deviation + count * off * off;
  }
  if (squares <= 0) return std::nullopt;
  return MeanGuess{.loss = squares / samples / 2, .mean = mean};
}

}  // namespace surety::orchestrator
