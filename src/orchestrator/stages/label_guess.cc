#include "orchestrator/stages/label_guess.h"

#include <cmath>
#include <cstdint>
#include <map>

#include "model/zoo.h"

namespace surety::orchestrator {

std::optional<LabelGuess> label_guess(const job::Job& job,
                                      const std::vector<data::SourceInfo>& sources) {
  const plan::Metric metric = job.promise.metric;
  const bool is_accuracy = metric == plan::Metric::kAccuracy;
  const bool is_log_loss = metric == plan::Metric::kValidationLoss &&
                           (!model::is_linear(job.model.zoo) || job.model.zoo == "logistic");
  if (!is_accuracy && !is_log_loss) return std::nullopt;
  std::map<float, std::uint64_t> counts;
  double all = 0;
  for (const data::SourceInfo& source : sources) {
    for (const auto& [label, count] : source.label_histogram) {
      counts[label] += count;
      all += static_cast<double>(count);
    }
  }
  if (all == 0) return std::nullopt;
  LabelGuess guess;
  double entropy = 0;
  for (const auto& [label, count] : counts) {
    const double share = static_cast<double>(count) / all;
    if (share > guess.share) guess.label = label, guess.share = share;
    if (share > 0) entropy -= share * std::log(share);
  }
  guess.metric = is_accuracy ? guess.share : entropy;
  return guess;
}

}  // namespace surety::orchestrator
