// A hint for people whose validation data are too few. The standard error of few samples makes the
// margin (plan/belief/stop_metric.h) so large that training can hardly reach it, however long it
// lasts, and nothing else in the log names the cause.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/promise.h"

namespace surety::plan {

// An evaluation of the deciding samples. Metrics are to be minimised.
struct DecidingEvaluation {
  Metric metric = Metric::kValidationLoss;
  double target = 0;
  double probability = 0.9;   // The promised one.
  double value = 0;           // What the model shows.
  double se = 0;              // Its standard error.
  std::uint64_t samples = 0;  // Deciding samples, about half of the validation samples.
};

// The hint, if the margin is more than a quarter of the target: how many samples there are, the
// margin that they force, and how many would make it a tenth of the target. None for a duality gap,
// which is exact.
//
// The standard error of an accuracy at its target follows from the number of samples, so the first
// evaluation tells. That of a loss changes while the model learns. So it is told only of a model
// that is no further above the target than the margin.
// REQUIRES: samples > 0; 0 < probability < 1.
[[nodiscard]] std::optional<std::string> few_samples_words(const DecidingEvaluation& seen);

}  // namespace surety::plan
