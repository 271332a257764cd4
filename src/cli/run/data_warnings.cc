#include "cli/run/data_warnings.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "model/zoo.h"
#include "orchestrator/stages/label_guess.h"

namespace surety::cli {
namespace {

std::optional<std::string> warning_of_scales(const data::SourceInfo& source,
                                             const std::string& zoo) {
  const double factor = model::is_linear(zoo) ? data::kLargeForLinear : data::kLargeForNetworks;
  const std::optional<data::LargeFeature>& large = source.hints.large_feature;
  if (!large || large->factor() < factor) return std::nullopt;
  return fmt::format(
      "{}: {} has values of about {:.3g}, and half of the others of at most {:.3g}. "
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
      "{}: the labels have the mean {:.4g} and the standard deviation {:.4g}, and {} has "
      "no intercept. The loss may stay high: add a feature that is always 1, or subtract the mean "
      "from the labels, in every data set and wherever the model is used",
      data::place_of(source), hints.label_mean, hints.label_deviation, zoo);
}

// Without an intercept, a linear classifier answers each of two labels about equally often, unless
// a feature tells them apart. Sparse data often have features that make up for it.
std::optional<std::string> warning_of_intercept(const orchestrator::JobConfig& config) {
  constexpr double kUneven = 0.6;
  const std::string& zoo = config.job.model.zoo;
  if (!model::is_linear(zoo) || model::is_regression(zoo)) return std::nullopt;
  for (const data::SourceInfo& source : config.sources) {
    if (source.hints.has_constant_feature || source.schema.layout == data::Layout::kSparse) {
      return std::nullopt;
    }
  }
  const auto most = orchestrator::common_label(config.sources);
  if (!most || most->share < kUneven) return std::nullopt;
  return fmt::format(
      "data: {} of the training samples have the label {:g}, and {} has no intercept. The "
      "model may be much worse than it could be: add a feature that is always 1, in every data set "
      "and wherever the model is used",
      percent(most->share), most->label, zoo);
}

// A model that ignores its input would reach the target (orchestrator/stages/label_guess.h).
std::optional<std::string> warning_of_guess(const orchestrator::JobConfig& config) {
  const double target = config.job.promise.target;
  const auto guess = orchestrator::label_guess(config.job, config.sources, config.validation);
  if (!guess) return std::nullopt;
  const std::string most =
      fmt::format("{} of the {} samples have the label {:g}", percent(guess->most.share),
                  config.validation ? "validation" : "training", guess->most.label);
  if (config.job.promise.metric == plan::Metric::kAccuracy) {
    if (target > guess->metric) return std::nullopt;
    return fmt::format(
        "promise.target: {}, so a model that always answers {:g} would reach an accuracy "
        "of {} as well. Ask for more than {}",
        most, guess->most.label, short_number(target), short_number(guess->metric));
  }
  if (target < guess->metric) return std::nullopt;
  return fmt::format(
      "promise.target: {}, and a model that ignores its input would reach a loss of {}. "
      "Ask for less than that",
      most, short_number(guess->metric));
}

// The same for a regression.
std::optional<std::string> warning_of_mean(const orchestrator::JobConfig& config) {
  const auto guess = orchestrator::mean_guess(config.job, config.sources, config.validation);
  if (!guess || config.job.promise.target < guess->loss) return std::nullopt;
  return fmt::format(
      "promise.target: a model that always answers {:.4g}, the mean label of the {} samples, would "
      "reach a loss (half the squared error) of {}. Ask for less than that",
      guess->mean, config.validation ? "validation" : "training", short_number(guess->loss));
}

}  // namespace

std::vector<std::string> data_warnings(const orchestrator::JobConfig& config) {
  std::vector<std::string> warnings;
  const auto add = [&](const std::optional<std::string>& warning) {
    if (warning) warnings.push_back(plain_text(*warning, kMessageBytesMax));
  };
  for (const data::SourceInfo& source : config.sources) {
    add(warning_of_scales(source, config.job.model.zoo));
    add(warning_of_labels(source, config.job.model.zoo));
  }
  add(warning_of_intercept(config));
  add(warning_of_guess(config));
  add(warning_of_mean(config));
  return warnings;
}

}  // namespace surety::cli
