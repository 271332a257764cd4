#include "planners.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "baselines.h"
#include "plan/decision/simulate.h"
#include "plan/plan_options.h"
#include "plan/planner/make_plan.h"

namespace surety::bench {
namespace {

plan::Instance instance_of(const World& world, const RealPromise& promise,
                           const plan::Profile& profile) {
  plan::Instance instance;
  instance.promise.metric = plan::Metric::kValidationLoss;
  instance.promise.target = promise.target;
  instance.promise.probability = promise.probability;
  instance.promise.deadline_s = promise.deadline_s;
  instance.nodes = world.nodes();
  std::set<std::string> versions;
  for (const plan::CurvePoint& point : profile.curves) versions.insert(point.version);
  versions.erase("full");
  instance.versions.assign(versions.begin(), versions.end());
  instance.versions.insert(instance.versions.begin(), "full");
  return instance;
}

std::string text_of(const plan::Plan& plan) {
  std::string text;
  for (const plan::Block& block : plan.blocks) {
    const std::string node = block.counts.empty() ? "any" : block.counts[0].type;
    text += fmt::format("{}{}@{} x{}", text.empty() ? "" : ", ", block.version, node, block.passes);
  }
  return text;
}

Planned planned(const char* name, const plan::Decision& decision) {
  const auto* issued = std::get_if<plan::Plan>(&decision);
  const plan::Plan& plan =
      issued != nullptr ? *issued : *std::get<plan::Infeasible>(decision).best_effort;
  Planned result;
  result.name = name;
  result.what = text_of(plan);
  if (issued == nullptr) {
    result.what += "; refused: " + std::get<plan::Infeasible>(decision).reason;
  }
  result.issued = issued != nullptr;
  result.probability = plan.claims->probability;
  result.probability_lower = plan.claims->probability_lower;
  result.cost_mean = plan.claims->cost_mean;
  result.make_decider = [plan] { return follow(plan); };
  return result;
}

Planned planned(const char* name, const Baseline& baseline) {
  std::vector<FixedLeg> legs;
  for (const plan::Leg& leg : baseline.schedule) {
    const plan::Variant& variant = baseline.setting.variants[leg.variant];
    legs.push_back(
        {{baseline.setting.law_of(leg.variant).version, variant.counts.at(0).type}, leg.passes});
  }
  Planned result;
  result.name = name;
  for (const FixedLeg& leg : legs) {
    result.what += fmt::format("{}{}@{} x{}", result.what.empty() ? "" : ", ", leg.place.version,
                               leg.place.node, leg.passes);
  }
  result.issued = baseline.keeps;
  result.probability = baseline.probability;
  result.cost_mean = baseline.cost_mean;
  result.make_decider = [legs] { return follow_blindly(legs); };
  return result;
}

}  // namespace

Result<std::vector<Planned>> plan_all(const World& world, const RealPromise& promise,
                                      const plan::Profile& profile) {
  using plan::Planner;
  const plan::Instance instance = instance_of(world, promise, profile);
  std::vector<Planned> all;
  for (const auto& [name, planner] :
       {std::pair("closed-loop", Planner::kClosedLoop), std::pair("open-loop", Planner::kOpenLoop),
        std::pair("mean", Planner::kMean)}) {
    plan::PlanOptions options;
    options.planner = planner;
    SURETY_TRY(const plan::Decision decision, plan::make_plan(instance, profile, options));
    all.push_back(planned(name, decision));
  }
  for (const auto& [name, kind] : {std::pair("open-loop to its end", BaselineKind::kDeplToTheEnd),
                                   std::pair("mean to its end", BaselineKind::kMeanToTheEnd),
                                   std::pair("mean without margin", BaselineKind::kMeanNoMargin)}) {
    SURETY_TRY(const auto found, plan_baseline(kind, instance, profile, {}));
    if (found) all.push_back(planned(name, *found));
  }
  return all;
}

}  // namespace surety::bench
