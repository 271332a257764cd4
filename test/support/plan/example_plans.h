// Handwritten plans for tests of code that reads, writes and shows plans. They were not simulated.
// Their numbers are plausible, and consistent in all points that a reader can check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace surety::plan::example {

inline Promise accuracy_promise() {
  return {.metric = Metric::kAccuracy,
          .target = 0.95,
          .probability = 0.95,
          .confidence = 0.9,
          .deadline_s = 1200,
          .budget = std::nullopt};
}

inline VersionLaw law(std::string version, std::size_t rank, double floor, double pass_s) {
  VersionLaw out;
  out.version = std::move(version);
  out.rank = rank;
  out.workers = 4;
  out.curve = {.shape = Shape::kPower, .floor = floor, .scale = 0.9 - floor, .exponent = 1.5};
  out.rate = 0.6;
  out.noise = 0.2;
  out.metric_min = floor + 0.01;
  out.metric_supported = floor + 0.005;
  out.passes = 20;
  out.seeds = 20;
  out.time = {.pass_s = pass_s, .nodes = 4, .eval_s = 1, .log_sd = 0.1};
  return out;
}

// Two versions: the pruned one on spot nodes first, then the full one on spot or on-demand nodes.
inline Setting setting() {
  Setting out;
  out.laws.versions = {law("full", 0, 0.01, 40), law("prune:0.5", 1, 0.03, 16)};
  const SwitchLaw none;
  const SwitchLaw jump{.log_mean = 0.1, .log_sd = 0.05, .seconds = 2, .measured = true};
  out.laws.switches = {{none, jump}, {jump, none}};
  out.laws.run_effect = 0.12;
  Variant spot;
  spot.version = 1, spot.counts = {{"spot", 4}};
  spot.nodes = 4, spot.speed = 4;
  spot.price_per_s = 0.004;
  spot.preemptions_per_s = 0.001, spot.restart_s = 20;
  Variant full_spot = spot;
  Variant full_sure = spot;
  full_spot.version = full_sure.version = 0;
  full_sure.counts = {{"on-demand", 4}};
  full_sure.price_per_s = 0.012;
  full_sure.preemptions_per_s = 0;
  full_sure.start_s = 15;
  out.variants = {spot, full_spot, full_sure};
  out.target = 0.05;
  out.stop_metric = 0.047;
  out.evaluation_se = 0.001;
  out.probability = 0.95;
  out.deadline_s = 1200;
  out.certify_s = 1;
  return out;
}

// 21 points over 1000 s that fall from 0.9 as the laws predict.
inline std::vector<Band> bands() {
  std::vector<Band> out;
  for (int i = 0; i <= 20; ++i) {
    const double x = 0.045 + 0.855 * std::pow(1 + 0.4 * i, -1.4);
    out.push_back({50.0 * i, 0.9 * x, x, i == 0 ? x : 1.35 * x});
  }
  return out;
}

// Shares of the runs that train on the first, second and third block, one wave each.
inline std::vector<Usage> usage() {
  std::vector<Usage> out{{0, 14.2, 0.97, {}}, {1, 4.4, 0.75, {}}, {2, 1.1, 0.55, {}}};
  for (int i = 0; i <= 20; ++i) {
    const double alive = i < 12 ? 1 : 1 - (i - 12) / 8.0;
    const double first = i < 6 ? 1 : std::max(0.0, 1 - (i - 6) / 5.0);
    const double sure = std::min(0.6, std::max(0.0, (i - 11) / 10.0));
    out[0].shares.push_back(alive * first);
    out[1].shares.push_back(alive * (1 - first) * (1 - sure));
    out[2].shares.push_back(alive * (1 - first) * sure);
  }
  return out;
}

// The claims of closed_loop_plan().
inline Claims claims() {
  Claims out;
  out.setting = setting();
  out.probability = 0.968;
  out.probability_lower = 0.951;
  out.support = {.percentile = 0.951,
                 .held_out = 0.794,
                 .held_out_runs = 10,
                 .held_out_successes = 10,
                 .held_out_limit = 0.794,
                 .seeds = 20,
                 .seeds_needed = 90,
                 .binding = BoundKind::kLearnThenTest};
  out.cost_mean = 2.27, out.cost_95 = 3.4;
  out.seconds_mean = 640, out.seconds_95 = 1000;
  out.bands = bands();
  out.usage = usage();
  out.prices = {{0.8, 0.91, 2.11}, {0.9, 0.93, 2.16}, {0.95, 0.968, 2.27}, {0.99, 0.991, 2.63}};
  out.runners_up = {{"full only, 4 on-demand", 4.41, 0.989},
                    {"open loop: prune:0.5 x14 then full on 4 spot", 3.02, 0.957},
                    {"prune:0.5 only, 4 spot", 1.9, 0.62}};
  out.assumptions = {{"curves do not cross", "quantiles of the fitted curves", true, "none does"},
                     {"profile supports the promise", "learn then test at confidence 90 %", false,
                      "79.4 % with 20 seeds"}};
  return out;
}

inline Plan closed_loop_plan() {
  Plan plan;
  plan.planner = Planner::kClosedLoop;
  plan.data = {"site-a", "site-b"};
  plan.blocks = {{"prune:0.5", 14, 4, {{"spot", 4}}, 17.2, 0, 0.004},
                 {"full", 4, 4, {{"spot", 4}}, 42.5, 2, 0.004},
                 {"full", 1, 4, {{"on-demand", 4}}, 41.2, 17, 0.012}};
  plan.policy = PolicySpec{.lambda = 1.0 / 3, .levels = 100, .ticks = 240, .classes = 5};
  plan.stop_metric = 0.047;
  plan.certify_s = 1;
  plan.claims = claims();
  plan.reason = "the cheapest of 3 ways to reach the target with probability 95 %";
  return plan;
}

inline Plan open_loop_plan() {
  Plan plan = closed_loop_plan();
  plan.planner = Planner::kOpenLoop;
  plan.blocks.pop_back();
  plan.policy.reset();
  plan.claims->setting.variants.pop_back();
  plan.claims->usage.pop_back();
  return plan;
}

inline Infeasible infeasible() {
  Infeasible out;
  out.reason_class = ReasonClass::kDeadline;
  out.reason = "the fastest way reaches accuracy 0.95 in time in 62 % of the runs";
  out.target = 0.934;
  out.probability = 0.62;
  out.deadline_s = 1500;
  out.best_effort = open_loop_plan();
  Claims& claims = *out.best_effort->claims;
  claims.probability = 0.62;
  claims.probability_lower = 0.55;
  claims.prices.clear();
  return out;
}

}  // namespace surety::plan::example
