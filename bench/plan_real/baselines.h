// The methods that our planners are compared with, on the same profile: fixed schedules that are
// followed and paid to their end, as in the papers, and the plan that trusts means.
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
  plan::Setting setting;  // The setting with the schedule's variants.
  plan::Schedule schedule;
  double probability = 0;  // Simulated on the profile's laws, to the end.
  double cost_mean = 0;    // Simulated on the profile's laws, to the end.
  // Whether it is as likely as promised; if not, it is the likeliest schedule that was found.
  bool keeps = false;
};

enum class BaselineKind : std::uint8_t {
  kDeplToTheEnd,  // Chosen by distributions (DepL-D) and calibrated by simulation.
  kMeanToTheEnd,  // Chosen by means, with margins calibrated by simulation.
  kMeanNoMargin,  // Chosen by means, and trusted without a margin.
};

// Plans by this method. A run succeeds if any checkpoint on the way met the target, because the
// best one is kept. Nothing if the planner finds no schedule at all. InvalidInput as for
// plan::make_plan().
[[nodiscard]] Result<std::optional<Baseline>> plan_baseline(BaselineKind kind,
                                                            const plan::Instance& instance,
                                                            const plan::Profile& profile,
                                                            const plan::PlanOptions& options);

}  // namespace surety::bench
