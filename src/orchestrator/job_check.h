// What must hold between the keys of a job, each of which is right by itself.
#pragma once

#include <string_view>

#include "orchestrator/job.h"
#include "orchestrator/yaml.h"

namespace surety::orchestrator {

// Also fills in the defaults that depend on other keys: solver, local workers, profile seeds, what
// is left until a deadline that was given as a point in time.
//
// REQUIRES: `job` was read from `tree`, section by section.
[[nodiscard]] Result<void> check_job(std::string_view file, const yaml::Node& tree,
                                     double now_unix_s, Job& job);

// Before a profile is measured for a plan: fewer seeds than support the promised probability
// (plan/support.h) are refused, as the plan would be.
[[nodiscard]] Result<void> check_seeds(std::string_view file, const Job& job);

// Likewise: train.learning_rate auto where no attempts are compared. `mode`: run, profile, train.
[[nodiscard]] Result<void> check_rate(std::string_view file, const Job& job, std::string_view mode);

// Likewise: more workers to measure with than the job can have.
[[nodiscard]] Result<void> check_profile_workers(std::string_view file, const Job& job);

}  // namespace surety::orchestrator
