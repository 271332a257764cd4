// Fixed schedules that are followed and paid to their end, as the papers mean them, and the plan
// that trusts means: what our planners are measured against, from the same profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"
#include "plan/types.h"

namespace surety::bench {

struct Baseline {
  plan::Setting setting;  // That the schedule's variants are of.
  plan::Schedule schedule;
  double probability = 0, cost_mean = 0;  // Simulated on the profile's laws, to the end.
  bool keeps = false;                     // As likely as promised; else the likeliest found.
};

enum class BaselineKind : std::uint8_t {
  kDeplToTheEnd,  // Chosen by distributions (DepL-D), calibrated by simulation.
  kMeanToTheEnd,  // Chosen by means, margins calibrated by simulation.
  kMeanNoMargin,  // Chosen by means, and believed.
};

// A run succeeds when any checkpoint on the way met the target: the best one is kept. None where
// the planner finds no schedule at all. InvalidInput as plan::make_plan().
[[nodiscard]] Result<std::optional<Baseline>> plan_baseline(BaselineKind kind,
                                                            const plan::Instance& instance,
                                                            const plan::Profile& profile,
                                                            const plan::PlanOptions& options);

}  // namespace surety::bench
