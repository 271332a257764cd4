#include "real_run.h"

#include <gtest/gtest.h>

#include <map>

namespace surety::bench {
namespace real_run_test {

// A study without random times: a full pass on demand takes 100 s, its evaluation 5 s, and a second
// costs 0.01.
Study plain_study() {
  Study study = *study_named("mnist");
  study.time_log_sd = 0;
  return study;
}

constexpr RealPromise kPromise{.target = 0.3, .probability = 0.9, .deadline_s = 1000};

// Returns metrics by path. On the other split they are higher by `shift`.
MeasureAt measure_by(std::map<std::string, double> metrics, double shift = 0) {
  return
      [metrics = std::move(metrics), shift](std::uint32_t seed, const Path& path) -> Result<Point> {
        const double metric = metrics.at(path.text());
        return Point{seed, path.text(), metric, 0.01, metric + shift, 0.01, 1};
      };
}

RealRun run_blindly(std::vector<FixedLeg> legs, const MeasureAt& measure_at,
                    const RealPromise& promise = kPromise) {
  const auto decider = follow_blindly(std::move(legs));
  return run_once(World(plain_study()), promise, *decider, 7, measure_at).value();
}

TEST(RealRun, TimeAndCostAreTheSumOfPassesSwitchesAndTheCertificate) {
  const RealRun run = run_blindly(
      {{{"prune:0.5", "on-demand"}, 2}, {{"full", "on-demand"}, 1}},
      measure_by({{"prune:0.5*1", 2}, {"prune:0.5*2", 1}, {"prune:0.5*2/full*1", 0.2}}));
  EXPECT_DOUBLE_EQ(run.seconds, 2 * (39 + 5) + 5 + (100 + 5) + 5);
  EXPECT_DOUBLE_EQ(run.cost, 0.01 * run.seconds);
  EXPECT_EQ(run.passes, 3u);
  EXPECT_EQ(run.path, "prune:0.5@on-demand*2/full@on-demand*1");
  EXPECT_EQ(run.kept, 1u);
}

TEST(RealRun, ATargetMissedOnTheOtherSplitIsABrokenPromise) {
  const std::map<std::string, double> metrics{{"full*1", 0.29}};
  EXPECT_EQ(run_blindly({{{"full", "on-demand"}, 1}}, measure_by(metrics)).kept, 1u);
  EXPECT_EQ(run_blindly({{{"full", "on-demand"}, 1}}, measure_by(metrics, 0.02)).kept, 0u);
}

TEST(RealRun, LateIsABrokenPromise) {
  const auto measure_at = measure_by({{"full*1", 0.2}});
  RealPromise promise = kPromise;
  promise.deadline_s = 110;
  EXPECT_EQ(run_blindly({{{"full", "on-demand"}, 1}}, measure_at, promise).kept, 1u);
  promise.deadline_s = 109;
  EXPECT_EQ(run_blindly({{{"full", "on-demand"}, 1}}, measure_at, promise).kept, 0u);
}

// Trains the full version on demand, and stops after a number of passes.
class StopsAfter final : public Decider {
 public:
  StopsAfter(std::uint32_t passes, StopNow stop) : passes_(passes), stop_(stop) {}
  Place begin() override { return {"full", "on-demand"}; }
  Answer next(const Observation& seen) override {
    if (seen.pass < passes_) return TrainAt{begin()};
    return stop_;
  }

 private:
  std::uint32_t passes_;
  StopNow stop_;
};

RealRun run_to_stop(StopNow stop) {
  StopsAfter decider(3, stop);
  return run_once(World(plain_study()), kPromise, decider, 7,
                  measure_by({{"full*1", 2}, {"full*2", 0.28}, {"full*3", 0.9}}))
      .value();
}

TEST(RealRun, WhoGivesUpKeepsTheBestCheckpoint) {
  const RealRun run = run_to_stop({.target_met = false});
  EXPECT_EQ(run.metric, 0.28);
  EXPECT_EQ(run.kept, 1u);
  EXPECT_EQ(run.target_met, 0u);
}

TEST(RealRun, WhoSaysThatTheTargetIsMetKeepsTheLastCheckpoint) {
  const RealRun run = run_to_stop({.target_met = true});
  EXPECT_EQ(run.metric, 0.9);
  EXPECT_EQ(run.kept, 0u);
}

plan::Plan halves_then_full() {
  plan::Plan plan;
  plan.stop_metric = 0.25;
  plan.certify_s = 5;
  plan.blocks = {{.version = "prune:0.5", .passes = 1, .nodes = 1, .counts = {{"spot", 1}}},
                 {.version = "full", .passes = 1, .nodes = 1, .counts = {{"on-demand", 1}}}};
  plan.blocks[0].pass_s = 54;
  plan.blocks[1].pass_s = 105;
  return plan;
}

TEST(FollowingAPlan, GoesThroughItsBlocksAndStopsWhenTheTargetIsSeen) {
  const auto decider = follow(halves_then_full());
  const RealRun run =
      run_once(World(plain_study()), kPromise, *decider, 7,
               measure_by(
                   {{"prune:0.5*1", 1}, {"prune:0.5*1/full*1", 0.4}, {"prune:0.5*1/full*2", 0.2}}))
          .value();
  EXPECT_EQ(run.path, "prune:0.5@spot*1/full@on-demand*2");
  EXPECT_EQ(run.target_met, 1u);
}

TEST(World, AllPlannersMeetTheSameLuck) {
  const World world(*study_named("mnist"));
  const Place full{"full", "on-demand"};
  const Place half{"prune:0.5", "on-demand"};
  const double factor = (world.pass_s(full, 7, 3) - 5) / 100;
  EXPECT_NE(factor, 1);
  EXPECT_NEAR((world.pass_s(half, 7, 3) - 5) / 39, factor, 1e-12);
  EXPECT_NE(world.pass_s(full, 8, 3), world.pass_s(full, 7, 3));
  EXPECT_NE(world.pass_s(full, 7, 4), world.pass_s(full, 7, 3));
}

TEST(World, SpotIsCheaperSlowerAndNowAndThenTakenAway) {
  const World world(plain_study());
  EXPECT_DOUBLE_EQ(world.price_per_s("spot"), 0.35 * world.price_per_s("on-demand"));
  const Place spot{"full", "spot"};
  std::uint32_t taken = 0;
  for (std::uint32_t pass = 1; pass <= 1000; ++pass) {
    const double seconds = world.pass_s(spot, 1, pass);
    EXPECT_GE(seconds, 130 - 1e-9);  // 125 s of training, and the evaluation.
    if (seconds > 131) ++taken;
  }
  // A node is taken away in 125 s at a rate of 0.0012 a second: 1 - e^-0.15 = 14 % of the passes,
  // plus or minus three times 1.1 %.
  EXPECT_NEAR(taken, 139, 33);
}

TEST(World, ChangesOfVersionAndOfNodeTakeTime) {
  const World world(plain_study());
  const Place a{"full", "spot"};
  const Place b{"full", "on-demand"};
  const Place c{"prune:0.5", "on-demand"};
  EXPECT_DOUBLE_EQ(world.switch_s(a, a), 0);
  EXPECT_DOUBLE_EQ(world.switch_s(c, b), 5);
  EXPECT_DOUBLE_EQ(world.switch_s(a, b), 10);
  EXPECT_DOUBLE_EQ(world.switch_s(c, a), 15);
}

}  // namespace real_run_test
}  // namespace surety::bench
