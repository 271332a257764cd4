#include "orchestrator/stages/plan_by_hand.h"

namespace surety::orchestrator {

plan::Plan plan_by_hand(const job::Job& job) {
  plan::Plan plan;
  plan.planner = plan::Planner::kByHand;
  for (const job::DataSpec& set : job.data) plan.data.push_back(set.name);
  plan.blocks = {{.version = job.model.versions.front(), .passes = job.train.passes_max}};
  const bool accuracy = job.promise.metric == plan::Metric::kAccuracy;
  plan.stop_metric = accuracy ? 1 - job.promise.target : job.promise.target;
  plan.reason = "set by hand: no profile, no promise about probability or cost";
  return plan;
}

}  // namespace surety::orchestrator
