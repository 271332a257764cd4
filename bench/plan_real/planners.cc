#include "planners.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "plan/make_plan.h"

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

std::vector<FixedLeg> legs_of(const plan::Plan& plan) {
  std::vector<FixedLeg> legs;
  for (const plan::Block& block : plan.blocks) {
    legs.push_back({{block.version, block.counts.at(0).type}, block.passes});
  }
  return legs;
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
  result.probability = plan.probability;
  result.probability_lower = plan.probability_lower;
  result.cost_mean = plan.cost_mean;
  result.make_decider = [plan] { return follow(plan); };
  return result;
}

}  // namespace

Result<std::vector<Planned>> plan_all(const World& world, const RealPromise& promise,
                                      const plan::Profile& profile) {
  const plan::Instance instance = instance_of(world, promise, profile);
  const auto decide = [&](plan::Planner planner) {
    plan::PlanOptions options;
    options.planner = planner;
    return plan::make_plan(instance, profile, options);
  };
  SURETY_TRY(const plan::Decision closed, decide(plan::Planner::kClosedLoop));
  SURETY_TRY(const plan::Decision open, decide(plan::Planner::kOpenLoop));
  SURETY_TRY(const plan::Decision mean, decide(plan::Planner::kMean));
  std::vector<Planned> all = {planned("closed-loop", closed), planned("open-loop", open),
                              planned("mean", mean)};
  if (const auto* plan = std::get_if<plan::Plan>(&open)) {
    Planned blind = all[1];
    blind.name = "open-loop blind";
    blind.make_decider = [legs = legs_of(*plan)] { return follow_blindly(legs); };
    all.push_back(std::move(blind));
  }
  return all;
}

}  // namespace surety::bench
