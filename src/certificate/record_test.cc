#include "certificate/record_test.h"

namespace surety::certificate {
namespace {

plan::Plan planned() {
  plan::Plan plan;
  plan.planner = plan::Planner::kOpenLoop;
  plan.data = {"data-1", "data-2"};
  plan.blocks = {{.version = "prune:0.5", .passes = 3, .nodes = 4, .pass_s = 10, .switch_s = 0.5},
                 {.version = "full", .passes = 1, .nodes = 2, .pass_s = 20, .switch_s = 1}};
  plan.stop_metric = 0.48;
  plan.certify_s = 7;
  plan::Claims& claims = plan.claims.emplace();
  claims.probability = 0.97;
  claims.probability_lower = 0.93;
  claims.cost_mean = 2;
  claims.cost_95 = 3;
  claims.seconds_mean = 100;
  claims.seconds_95 = 120;
  claims.bands = {{.seconds = 0, .q05 = 2, .q50 = 2.2, .q95 = 2.4},
                  {.seconds = 120, .q05 = 0.4, .q50 = 0.45, .q95 = 0.5}};
  claims.runners_up = {{.what = "full only", .cost_mean = 2.5, .probability = 0.98}};
  claims.assumptions = {{.name = "curves do not cross", .test = "t", .passed = true, .found = "no"},
                        {.name = "passes last alike", .test = "u", .passed = false, .found = "2x"}};
  plan.reason = "cheapest of 7";
  return plan;
}

}  // namespace

plan::Plan plan_by_hand() {
  plan::Plan plan;
  plan.blocks = {{.version = "full", .passes = 4, .nodes = 2}};
  plan.stop_metric = 0.48;
  return plan;
}

RunRecord kept_record() {
  RunRecord record;
  record.job = "digits";
  record.run = "digits-1";
  record.started = "2026-03-01T18:00:00Z";
  record.promise = {.metric = plan::Metric::kValidationLoss,
                    .target = 0.5,
                    .probability = 0.9,
                    .confidence = 0.8,
                    .deadline_s = 900,
                    .budget = 10};
  record.deadline_s = 1000;
  record.plan = planned();
  record.infeasible = plan::Infeasible{.reason_class = plan::ReasonClass::kBudget,
                                       .reason = "too dear",
                                       .target = 0.6,
                                       .probability = 0.8,
                                       .deadline_s = 2000,
                                       .budget = 20,
                                       .seeds = 9,
                                       .best_effort = planned()};
  record.measurements = {{.seconds = 40,
                          .pass = 3,
                          .version = "prune:0.5",
                          .metric = 0.7,
                          .metric_se = 0.02,
                          .cost = 1,
                          .workers = 4},
                         {.seconds = 110,
                          .pass = 4,
                          .version = "full",
                          // Not a short decimal: it must be read back bit for bit.
                          .metric = 0.1 + 0.2,
                          .metric_se = 0.01,
                          .cost = 2.25,
                          .workers = 2}};
  record.timeline = {
      {.seconds = 0.5, .kind = EventKind::kJoin, .text = "worker 1 joined", .workers = 1},
      {.seconds = 60, .kind = EventKind::kLost, .text = "worker 1: reset", .workers = 0},
      {.seconds = 90, .kind = EventKind::kLeave, .text = "worker 2 left", .workers = 0}};
  record.certified = {
      .metric = 0.45,
      .metric_se = 0.01,
      .samples = 4000,
      .checkpoint = "checkpoints/4",
      .model_checksum = "00ff",
      .again = MetricValues{.metric = 0.45, .metric_se = 0.01, .samples = 4000},
      .contradicted = MetricValues{.metric = 0.44, .metric_se = 0.02, .samples = 4000},
      .not_again = "no memory"};
  record.run_seconds = 800;
  record.profile_seconds = 300;
  record.training_seconds = 110;
  record.profile_cost = 1.5;
  record.training_cost = 2.25;
  record.data_cost = 0.25;
  record.stop_reason = "target met";
  record.data = {{.name = "digits", .samples = 8000, .content = "00ee"}};
  record.warnings = {"promise.target: 90 % of the training samples have the label <0>"};
  record.versions = {{"machine", "4 cores"}, {"surety", "0.1.0"}};
  return record;
}

}  // namespace surety::certificate
