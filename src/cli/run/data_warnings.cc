#include "cli/run/data_warnings.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

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
  return warnings;
}

}  // namespace surety::cli
