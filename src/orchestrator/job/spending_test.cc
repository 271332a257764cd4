#include "orchestrator/history/spending.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orchestrator/job/fake_cluster_test.h"

namespace surety::orchestrator {
namespace spending_test {

double cost_of(const std::vector<certificate::SpendingPart>& parts, const std::string& what) {
  for (const certificate::SpendingPart& part : parts) {
    if (part.what.find(what) == 0) return part.cost;
  }
  return 0;
}

// A run of two attempts at a price of 1 per second; the second attempt is kept.
RunState two_attempts() {
  RunState state;
  certificate::RunRecord& record = state.record;
  const auto pass = [&](std::uint32_t attempt, double end_s, double seconds, double eval_seconds) {
    proto::PassDone done;
    done.set_attempt(attempt);
    done.set_seconds(seconds);
    done.set_eval_seconds(eval_seconds);
    state.passes.push_back({.done = done, .end_s = end_s, .cost = end_s});
    certificate::Measurement measurement;
    measurement.attempt = attempt;
    measurement.seconds = measurement.cost = end_s;
    record.measurements.push_back(measurement);
  };
  record.profile_seconds = record.profile_cost = 2;
  pass(1, 10, 6, 1);  // Three of the ten seconds are waiting.
  pass(2, 20, 8, 2);
  record.training_seconds = record.training_cost = 21;
  record.data_cost = 5;
  record.certified.emplace();
  record.certified->attempt = 2;
  return state;
}

// The end of a run of two workers.
RunState end_of(const JobConfig& config) {
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  for (int i = 0; i < 2; ++i) cluster.join();
  cluster.run_steps(100000);
  EXPECT_TRUE(cluster.ended());
  return cluster.machine().state();
}

TEST(Spending, EachSecondAndEachUnitOfMoneyIsOfOneKind) {
  const auto parts = spending(two_attempts());
  EXPECT_DOUBLE_EQ(cost_of(parts, "gathering"), 2);
  EXPECT_DOUBLE_EQ(cost_of(parts, "passes of the final model"), 8);
  EXPECT_DOUBLE_EQ(cost_of(parts, "passes of other attempts"), 6);
  EXPECT_DOUBLE_EQ(cost_of(parts, "evaluating"), 3);
  EXPECT_DOUBLE_EQ(cost_of(parts, "waiting"), 3);
  EXPECT_DOUBLE_EQ(cost_of(parts, "certifying"), 1);
  EXPECT_DOUBLE_EQ(cost_of(parts, "data"), 5);
}

TEST(Spending, ThePartsOfARunAddUpToWhatItCost) {
  JobConfig config = small_config(2);
  config.job.cluster.nodes.front().price_per_s = 1;
  config.job.promise.target = 0.3;
  const RunState state = end_of(config);
  double sum = 0;
  for (const certificate::SpendingPart& part : spending(state)) sum += part.cost;
  EXPECT_NEAR(sum, certificate::total_cost(state.record), 1e-9);
}

// The data cost 0.5, and the workers nothing.
TEST(Spending, ThePlanOfARunPaysForItsDataOnce) {
  JobConfig config = small_config(2);
  config.sources.front().price = config.job.data.front().price;
  config.job.profile.data_fractions = {1, 0.5};
  config.job.profile.passes = 6;
  config.job.promise.budget = 0.6;
  const certificate::RunRecord record = end_of(config).record;
  EXPECT_FALSE(record.infeasible) << record.infeasible->reason;
  EXPECT_TRUE(record.plan);
}

// Fixed settings do not know how long a pass takes. The reserve for certification is kept.
TEST(Spending, WithFixedSettingsTheBudgetIsExceededByAPassAtMost) {
  JobConfig config = small_config(2);
  config.mode = RunMode::kTrain;
  config.plan = hand_plan({}, 1e-6);
  config.job.cluster.nodes.front().price_per_s = 1;
  config.job.promise.target = 1e-6;
  config.job.promise.budget = 40;
  const RunState state = end_of(config);
  double pass_cost = 0;
  for (std::size_t i = 1; i < state.passes.size(); ++i) {
    pass_cost = std::max(pass_cost, state.passes[i].cost - state.passes[i - 1].cost);
  }
  EXPECT_LE(certificate::total_cost(state.record), 40 + pass_cost);
  EXPECT_TRUE(state.record.certified.has_value());
}

// The clock continues while no coordinator works, but that time has no cost.
TEST(Spending, APauseIsTimeAndNoMoney) {
  RunState state = two_attempts();
  state.passes[1].end_s = state.record.measurements[1].seconds = 1000;
  state.record.timeline.push_back(
      {.seconds = 500, .kind = certificate::EventKind::kPause, .text = "stopped", .workers = 0});
  const auto parts = spending(state);
  EXPECT_DOUBLE_EQ(cost_of(parts, "passes of the final model"), 8);
  EXPECT_DOUBLE_EQ(cost_of(parts, "waiting"), 3);
}

TEST(Spending, ARunWithoutAPassHasNoParts) { EXPECT_TRUE(spending(RunState{}).empty()); }

}  // namespace spending_test
}  // namespace surety::orchestrator
