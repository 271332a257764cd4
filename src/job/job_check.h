// Rules between the keys of a job, each of which is valid by itself. All functions refuse a job
// with InvalidInput, which names the key.
#pragma once

#include <string_view>

#include "base/result.h"
#include "job/job.h"
#include "job/yaml.h"

namespace surety::job {

// Also fills in the defaults that depend on other keys: solver, local workers, profile seeds, and
// the time left until a deadline that was given as a point in time.
//
// REQUIRES: `job` was read from `tree`, section by section.
[[nodiscard]] Result<void> check_job(std::string_view file, const yaml::Node& tree,
                                     double now_unix_s, Job& job);

// To be called before a profile is measured for a plan. Refuses fewer seeds than the promised
// probability needs (plan/support.h), because the plan would be refused later.
[[nodiscard]] Result<void> check_seeds(std::string_view file, const Job& job);

// Refuses train.learning_rate auto if no attempts are compared. `is_run`: the job is for `surety
// run`.
[[nodiscard]] Result<void> check_rate(std::string_view file, const Job& job, bool is_run);

// Refuses to measure with more workers than the job can have.
[[nodiscard]] Result<void> check_profile_workers(std::string_view file, const Job& job);

}  // namespace surety::job
