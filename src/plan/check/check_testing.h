// Plans and options for tests of the plan check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/check/plan_check.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan::check::testing_plans {

struct Case {
  plan::Instance instance;
  plan::Plan plan;
};

// Number of runs in which the planner simulates a fixed schedule.
inline constexpr std::uint32_t kScheduleRuns = 4000;

// The worlds that support a promise are not checked again, so a few of them are enough.
inline plan::PlanOptions check_options() {
  plan::PlanOptions options = plan::synthetic::small_options();
  options.worlds = 10;
  return options;
}

inline CheckOptions quick() {
  CheckOptions options;
  options.runs = 600;
  options.levels = 48;
  options.ticks = 80;
  return options;
}

inline plan::synthetic::Spec noisy_versions(double noise) {
  plan::synthetic::Spec spec = plan::synthetic::three_versions();
  spec.seeds = 20;
  spec.jump = 1;
  spec.run_effect = 0.1;
  spec.time_sd = 0.1;
  for (auto& version : spec.versions) version.noise = noise;
  return spec;
}

inline std::vector<std::string> errors_of(const Case& one, const CheckOptions& options = quick()) {
  return check_plan(one.instance, one.plan, options);
}

}  // namespace surety::plan::check::testing_plans
