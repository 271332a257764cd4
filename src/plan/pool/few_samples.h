// A hint for users with too few validation samples. The standard error of few samples makes the
// margin (plan/belief/stop_metric.h) so large that even long training can hardly reach it, and no
// other line of the log names the cause.
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
  double probability = 0.9;   // The promised probability.
  double value = 0;           // The metric of the model.
  double se = 0;              // Its standard error.
  std::uint64_t samples = 0;  // Deciding samples, about half of the validation samples.
};

// The hint, if the margin is more than a quarter of the target: the number of samples, the
// resulting margin, and the number of samples for a margin of a tenth of the target. None for a
// duality gap, which is exact.
//
// The standard error of an accuracy at its target follows from the number of samples, so the first
// evaluation is enough. That of a loss changes while the model learns. So the hint is given only
// for a model whose loss is above the target by at most the margin. REQUIRES: samples > 0; 0 <
// probability < 1.
[[nodiscard]] std::optional<std::string> few_samples_words(const DecidingEvaluation& seen);

}  // namespace surety::plan
