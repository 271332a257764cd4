// The planners to compare, each with its plan for the same promise from the same profile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/studies/world.h"
#include "decider.h"
#include "plan/profile.h"
#include "real_run.h"

namespace surety::bench {

struct Planned {
  std::string name;
  std::string what;  // The plan as one line of text.
  // If false, the planner refused, and this is its best plan.
  bool issued = false;
  double probability = 0;        // Probability with which the planner expects to keep the promise.
  double probability_lower = 0;  // Probability that the profile supports, according to the planner.
  double cost_mean = 0;          // Cost that the planner expects.
  // Makes the decider of one run.
  std::function<std::unique_ptr<Decider>()> make_decider;
};

// The planners of production code are followed by its controller, which is asked after each pass.
// They are closed-loop, and the fixed schedules open-loop and mean, which stop when the target is
// seen. The planners of baselines.h are followed to their end: the same two as in the papers, and
// means without a margin.
// InvalidInput as for plan::make_plan().
[[nodiscard]] Result<std::vector<Planned>> plan_all(const World& world, const RealPromise& promise,
                                                    const plan::Profile& profile);

}  // namespace surety::bench
