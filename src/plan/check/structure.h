// Checks of a plan that need no simulation. All except check_blocks() require that the plan has
// claims.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::plan::check {

// Violations are added to `found`.
void check_blocks(const plan::Instance& instance, const plan::Plan& plan,
                  std::vector<std::string>& found);
// Checks the laws: blocks, versions, the promise, and values that the plan repeats.
// `deadline_is_point_in_time`: see CheckOptions::deadline_is_point_in_time.
void check_setting(const plan::Instance& instance, const plan::Plan& plan,
                   bool deadline_is_point_in_time, std::vector<std::string>& found);
void check_data(const plan::Instance& instance, const plan::Plan& plan,
                std::vector<std::string>& found);
// Checks that the numbers of the forecast agree with each other.
void check_forecast(const plan::Instance& instance, const plan::Plan& plan,
                    std::vector<std::string>& found);
// Checks the results of the assumptions that follow from the claims: enough seeds, curves that
// follow a law, and a profile that supports the promise.
void check_assumptions(const plan::Claims& claims, std::vector<std::string>& found);
// Checks that an issued plan keeps the promise by its own numbers.
void check_kept(const plan::Promise& promise, const plan::Claims& claims,
                std::vector<std::string>& found);

}  // namespace surety::plan::check
