// Checks of a plan that need no simulation.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::plan::check {

// Violations are added to `found`.
void check_blocks(const plan::Instance& instance, const plan::Plan& plan,
                  std::vector<std::string>& found);
void check_policy(const plan::Instance& instance, const plan::Plan& plan,
                  std::vector<std::string>& found);
void check_data(const plan::Instance& instance, const plan::Plan& plan,
                std::vector<std::string>& found);
void check_forecast(const plan::Instance& instance, const plan::Plan& plan,
                    std::vector<std::string>& found);

}  // namespace surety::plan::check
