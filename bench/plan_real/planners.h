// The planners that are compared, each with its plan for the same promise from the same profile.
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
  std::string what;              // Its plan in a line.
  bool issued = false;           // Else it refused, and this is the best that it could do.
  double probability = 0;        // That it says it keeps the promise with,
  double probability_lower = 0;  // and what it says the profile supports.
  double cost_mean = 0;          // That it expects.
  std::function<std::unique_ptr<Decider>()> make_decider;  // For one run.
};

// By production code, followed by its controller, which is asked after each pass: closed-loop, and
// the fixed schedules open-loop and mean, which stop when the target is seen. By baselines.h, to
// their end: the same two as the papers mean them, and means without a margin.
// InvalidInput as plan::make_plan().
[[nodiscard]] Result<std::vector<Planned>> plan_all(const World& world, const RealPromise& promise,
                                                    const plan::Profile& profile);

}  // namespace surety::bench
