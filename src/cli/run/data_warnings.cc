#include "cli/run/data_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/words.h"
#include "model/zoo.h"

namespace surety::cli {
namespace {

std::optional<std::string> warning_of_scales(const data::SourceInfo& source,
                                             const std::string& zoo) {
  const double factor = model::is_linear(zoo) ? data::kLargeForLinear : data::kLargeForNetworks;
  const std::optional<data::LargeFeature>& large = source.hints.large_feature;
  if (!large || large->factor() < factor) return std::nullopt;
  return fmt::format(
      "warning: {}: {} has values of about {:.3g}, and half of the others of at most {:.3g}. "
      "Training may make no progress or diverge. If this column only numbers the samples, remove "
      "it from the files. Otherwise bring the features to one scale (divide each by its largest "
      "value), in every data set and wherever the model is used",
      data::place_of(source), large->name, large->size, large->others);
}

// Without an intercept, a regression must build the mean of the labels from the features.
std::optional<std::string> warning_of_labels(const data::SourceInfo& source,
                                             const std::string& zoo) {
  if (!model::is_regression(zoo)) return std::nullopt;
  const data::SourceHints& hints = source.hints;
  if (hints.has_constant_feature || std::abs(hints.label_mean) <= hints.label_deviation) {
    return std::nullopt;
  }
  return fmt::format(
      "warning: {}: the labels have the mean {:.4g} and the standard deviation {:.4g}, and {} has "
      "no intercept. The loss may stay high: add a feature that is always 1, or subtract the mean "
      "from the labels, in every data set and wherever the model is used",
      data::place_of(source), hints.label_mean, hints.label_deviation, zoo);
}

}  // namespace

std::vector<std::string> data_warnings(const orchestrator::JobConfig& config) {
  std::vector<std::string> warnings;
  for (const data::SourceInfo& source : config.sources) {
    const std::string& zoo = config.job.model.zoo;
    for (auto& warning : {warning_of_scales(source, zoo), warning_of_labels(source, zoo)}) {
      if (warning) warnings.push_back(*warning);
    }
  }
  if (auto warning = warning_of_guess(config, config.job.promise.target)) {
    warnings.push_back(*std::move(warning));
  }
  return warnings;
}

std::optional<std::string> warning_of_guess(const orchestrator::JobConfig& config, double target) {
  if (config.job.promise.metric != plan::Metric::kAccuracy) return std::nullopt;
  std::map<float, std::uint64_t> counts;
  std::uint64_t all = 0;
  for (const data::SourceInfo& source : config.sources) {
    for (const auto& [label, count] : source.label_histogram) {
      counts[label] += count;
      all += count;
    }
  }
  if (all == 0) return std::nullopt;
  const auto& [label, count] = *std::ranges::max_element(
      counts, {}, [](const std::pair<const float, std::uint64_t>& entry) { return entry.second; });
  const double share = static_cast<double>(count) / static_cast<double>(all);
  if (target > share) return std::nullopt;
  return fmt::format(
      "warning: promise.target: {} of the training samples have the label {:g}, so a model that "
      "always answers {:g} would reach an accuracy of {} as well. Ask for more than {}",
      percent(share), label, label, short_number(target), short_number(share));
}

}  // namespace surety::cli
