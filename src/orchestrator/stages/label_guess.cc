#include "orchestrator/stages/label_guess.h"

#include <cmath>
#include <map>

#include "model/zoo.h"

namespace surety::orchestrator {

namespace {

// The shares of all labels; empty if they are not known.
std::map<float, double> shares_of(const std::vector<data::SourceInfo>& sources) {
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

std::optional<CommonLabel> common_label(const std::vector<data::SourceInfo>& sources) {
  std::optional<CommonLabel> most;
  for (const auto& [label, share] : shares_of(sources)) {
    if (!most || share > most->share) most = CommonLabel{label, share};
  }
  return most;
}

std::optional<LabelGuess> label_guess(const job::Job& job,
                                      const std::vector<data::SourceInfo>& sources) {
  const plan::Metric metric = job.promise.metric;
  const bool is_accuracy = metric == plan::Metric::kAccuracy;
  const bool is_log_loss = metric == plan::Metric::kValidationLoss &&
                           (!model::is_linear(job.model.zoo) || job.model.zoo == "logistic");
  const std::optional<CommonLabel> most = common_label(sources);
  if (!most || (!is_accuracy && !is_log_loss)) return std::nullopt;
  if (is_accuracy) return LabelGuess{most->share, *most};
  double entropy = 0;
  for (const auto& [label, share] : shares_of(sources)) {
    if (share > 0) entropy -= share * std::log(share);
  }
  return LabelGuess{entropy, *most};
}

}  // namespace surety::orchestrator
