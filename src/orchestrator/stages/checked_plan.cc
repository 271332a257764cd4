#include "orchestrator/stages/checked_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <variant>
#include <vector>

#include "plan/check/plan_check.h"
#include "plan/planner/make_plan.h"

namespace surety::orchestrator {

Result<plan::Decision> make_checked_plan(const plan::Instance& instance,
                                         const plan::Profile& profile,
                                         const plan::PlanOptions& options) {
  SURETY_TRY(plan::Decision decision, plan::make_plan(instance, profile, options));
  const auto* plan = std::get_if<plan::Plan>(&decision);
  if (plan == nullptr) return decision;
  const std::vector<std::string> found = plan::check::check_plan(instance, *plan);
  if (found.empty()) return decision;
  return fail(ErrorCode::kDefect,
              "an independent computation of the planner's claims disagrees: {}. The plan is not "
              "used; please report this with the profile",
              fmt::join(found, "; "));
}

}  // namespace surety::orchestrator
