#include "plan/pool/attempt_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/random.h"
#include "plan/belief/stop_metric.h"
#include "plan/pool/pool_attempts.h"
#include "plan/pool/pool_story_test.h"

namespace surety::plan {
namespace attempt_pool_test {

using namespace pool_story_test;

// The best model can be certified with a chance of at least 0.9, but not of 0.95, at which training
// stops by itself.
TEST(AttemptPool, WhereTwoAttemptsArePastTheirBestTheBestModelWillDo) {
  const PoolSpec spec = full_only(quick(6) + 0.0225);
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, learns_by_heart);
  const auto* certify = std::get_if<PoolCertify>(&story.last.action);
  ASSERT_NE(certify, nullptr) << story.last.reason;
  EXPECT_FALSE(certify->target_met);
  EXPECT_EQ(pool.attempts(), 2u);
  // An attempt does not continue for more than seven passes, which show that it only gets worse.
  for (const PoolPass& pass : story.passes) EXPECT_LE(pass.passes, 13u) << pass.attempt;
}

// The best models are at the target, but never better by the margin. There are no other kinds of
// attempts, and the time allows many.
TEST(AttemptPool, WhereThreeAttemptsShowThatAnotherHardlyHelpsTheBestIsCertified) {
  AttemptPool pool(full_only(quick(6) + 0.003));
  const Story story = run(pool, 1000, 200, learns_by_heart, 0.03);
  const auto* certify = std::get_if<PoolCertify>(&story.last.action);
  ASSERT_NE(certify, nullptr) << story.last.reason;
  EXPECT_FALSE(certify->target_met);
  EXPECT_EQ(pool.attempts(), 3u);
  EXPECT_THAT(story.last.reason, ::testing::StartsWith("3 attempts reached loss 0.3286 at best"));
}

TEST(AttemptPool, WhereThreeAttemptsShowThatTheTargetIsOutOfReachThePromiseIsRefused) {
  AttemptPool pool(full_only(quick(6) - 0.06));
  const Story story = run(pool, 1000, 200, learns_by_heart, 0.03);
  const auto* refuse = std::get_if<PoolRefuse>(&story.last.action);
  ASSERT_NE(refuse, nullptr) << story.last.reason;
  EXPECT_THAT(refuse->reason,
              ::testing::HasSubstr("more attempts reaches loss 0.2686 is below 10 %"));
  EXPECT_EQ(refuse->reason_class, ReasonClass::kFloor);
  EXPECT_FALSE(refuse->seconds_left);
}

// Attempts differ so much that another one may well reach the target.
TEST(AttemptPool, WhereAttemptsDifferAnotherOneBegins) {
  AttemptPool pool(full_only(quick(6) - 0.04));
  std::uint32_t attempt = 0;
  const Story story = run(
      pool, 1e7, 60,
      [&](std::uint32_t k) {
        attempt += k == 1 ? 1 : 0;
        return learns_by_heart(k) + 0.02 * (attempt % 3);
      },
      0.03);
  EXPECT_EQ(story.passes.size(), 60u) << story.last.reason;
  EXPECT_GT(pool.attempts(), 3u);
}

// With best_effort a run trains until its deadline.
TEST(AttemptPool, WithBestEffortAttemptsFollowEachOther) {
  PoolSpec spec = full_only(quick(6) - 0.04);
  spec.best_effort = true;
  AttemptPool pool(spec);
  EXPECT_EQ(run(pool, 1e7, 60, learns_by_heart, 0.03).passes.size(), 60u);
}

// Two attempts level off just above the metric at which training stops, and have all their passes.
// A third one would do the same.
TEST(AttemptPool, WhereTwoAttemptsHaveMadeAllTheirPassesTheBestModelWillDo) {
  PoolSpec spec = full_only(quick(10) + 0.0225);
  spec.passes_max = 10;
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, [](std::uint32_t k) {
    return k < 9 ? quick(k) : quick(10) + (k == 9 ? 0.001 : 0);
  });
  const auto* certify = std::get_if<PoolCertify>(&story.last.action);
  ASSERT_NE(certify, nullptr) << story.last.reason;
  EXPECT_FALSE(certify->target_met);
  EXPECT_EQ(story.passes.size(), 20u);
}

// The best attempt is current and improves with each pass. It continues although two others were
// abandoned.
TEST(PoolAttempts, TheCurrentBestAttemptContinuesInAnyCase) {
  PoolAttempts attempts;
  const auto pass = [&](std::uint32_t attempt, std::uint32_t passes, double metric) {
    attempts.on_pass({attempt, 0, passes, metric, 0.01, 1}, 0, kStart);
  };
  pass(0, 1, 0.5);
  pass(1, 1, 1.5);
  pass(2, 1, 1.4);
  EXPECT_EQ(attempts.no_better(10), 1u);  // The third attempt is the current one.
  pass(3, 1, 1.3);
  EXPECT_EQ(attempts.no_better(10), 2u);
  pass(0, 2, 0.4);
  EXPECT_EQ(attempts.no_better(10), 0u);
  EXPECT_EQ(attempts.no_better(2), 4u);  // The best one has all its passes, too.
}

TEST(AttemptPool, ABudgetThatTheFirstPassExceedsIsRefused) {
  AttemptPool pool(full_only(0.3));
  pool.set_untrained_metric(kStart);
  pool.on_pass({0, 0, 1, 0.9, 0.01, 10});
  const PoolStep step = pool.next({.seconds_left = 1e6, .money_left = -2});
  const auto* refuse = std::get_if<PoolRefuse>(&step.action);
  ASSERT_NE(refuse, nullptr) << step.reason;
  EXPECT_EQ(refuse->reason_class, ReasonClass::kBudget);
  EXPECT_THAT(refuse->reason, testing::HasSubstr("too small for one pass"));
  EXPECT_THAT(refuse->reason, testing::HasSubstr("costs 2 more than the budget"));
  // The pass took 10 s at a price of 1, and the belief about the next one is near that.
  EXPECT_GT(refuse->pass_money.value_or(0), 5);
  EXPECT_LT(refuse->pass_money.value_or(0), 20);

  PoolSpec anything = full_only(0.3);
  anything.best_effort = true;
  AttemptPool best(anything);
  best.set_untrained_metric(kStart);
  best.on_pass({0, 0, 1, 0.9, 0.01, 10});
  EXPECT_TRUE(std::holds_alternative<PoolCertify>(
      best.next({.seconds_left = 1e6, .money_left = -2}).action));
}

TEST(AttemptPool, ABestModelThatHasNoCheckpointIsNotCertified) {
  PoolSpec spec = spec_of(quick(6) + 0.0225);
  spec.best_effort = true;
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, learns_by_heart, 0.01, false);
  EXPECT_FALSE(std::holds_alternative<PoolCertify>(story.last.action)) << story.last.reason;
}

TEST(AttemptPool, ABestModelThatMayWellMissTheTargetIsNotCertifiedWhileThereIsTime) {
  PoolSpec spec = spec_of(quick(6) + 0.005);
  spec.best_effort = true;
  AttemptPool pool(spec);
  const Story story = run(pool, 1e7, 60, learns_by_heart);
  EXPECT_FALSE(std::holds_alternative<PoolCertify>(story.last.action)) << story.last.reason;
}

TEST(AttemptPool, AnAttemptThatReachesTheTargetIsCertifiedAtOnce) {
  AttemptPool pool(spec_of(0.4));
  const Story story = run(pool, 1e7, 30, quick);
  const auto* certify = std::get_if<PoolCertify>(&story.last.action);
  ASSERT_NE(certify, nullptr);
  EXPECT_TRUE(certify->target_met);
  EXPECT_EQ(certify->attempt, story.passes.back().attempt);
  std::map<std::uint32_t, Fall> falls;
  for (std::size_t i = 0; i < story.passes.size(); ++i) {
    const PoolPass& pass = story.passes[i];
    Fall& fall = falls.try_emplace(pass.attempt, kStart).first->second;
    fall.on_pass(pass.metric);
    const bool is_enough = pass.metric <= stop_metric(0.4, 0.9, 0.01, fall.is_steady());
    EXPECT_EQ(is_enough, i + 1 == story.passes.size()) << i;
  }
}

// The metric is at 0.5 after two passes and never falls below 0.45.
TEST(AttemptPool, AnAttemptAtTheTargetWithoutTheMarginIsReportedOnce) {
  AttemptPool pool(spec_of(0.5));
  const Story story = run(
      pool, 1e5, 16, [](std::uint32_t k) { return 0.45 + quick(k) / 16; }, 0.06);
  const auto lacks = [](const std::string& reason) {
    return reason.find("at the target, but not yet better by the required margin of") !=
           std::string::npos;
  };
  std::size_t at_target = 0;
  for (std::size_t i = 0; i < story.passes.size(); ++i) {  // Checks the decision after pass i.
    const bool is_at = story.passes[i].metric <= 0.5;
    at_target += is_at ? 1 : 0;
    EXPECT_EQ(lacks(story.reasons[i + 1]), is_at) << story.reasons[i + 1];
  }
  EXPECT_GT(at_target, 1u);
  std::map<std::uint32_t, int> told;  // Number of messages for each attempt that continues.
  for (const std::string& reason : story.is_notable) {
    if (lacks(reason) && reason.find("continues") != std::string::npos) ++told[reason[8] - '0'];
  }
  for (const auto& [attempt, times] : told) EXPECT_EQ(times, 1) << attempt;
}

TEST(AttemptPool, HasTheSameStateWhenItsPassesAreFedAgain) {
  AttemptPool pool(spec_of(0.1));
  AttemptPool again(spec_of(0.1));
  const Story story = run(pool, 1e7, 5, quick);
  again.set_untrained_metric(kStart);
  for (const PoolPass& pass : story.passes) again.on_pass(pass);
  if (story.promised_after) again.on_answered(PoolAnswer::kStated);
  double clock = 0;
  for (const PoolPass& pass : story.passes) clock += pass.seconds;
  EXPECT_EQ(again.next({1e7 - clock}).reason, story.reasons.back());
}

TEST(AttemptPool, ALostAttemptNeverContinues) {
  AttemptPool pool(spec_of(0.1));
  const Story story = run(pool, 1e7, 3, quick);
  const std::uint32_t lost = story.passes.back().attempt;
  pool.on_lost(lost);
  const PoolStep step = pool.next({1e7});
  const auto* train = std::get_if<PoolTrain>(&step.action);
  ASSERT_NE(train, nullptr);
  EXPECT_NE(train->attempt, std::optional(lost));
  EXPECT_THAT(pool.abandoned(), testing::Not(testing::Contains(best_of(story))));
}

constexpr double kRoomForSome = 1500;  // Seconds; an attempt takes about 100.

// The knowledge that a series of jobs leaves for the next one.
EarlierJobs after_jobs(std::uint32_t jobs, PoolSpec spec,
                       const std::function<double(std::uint32_t)>& law) {
  std::optional<EarlierJobs> earlier;
  for (std::uint32_t job = 1; job <= jobs; ++job) {
    spec.seed = job;
    spec.earlier = earlier;
    AttemptPool pool(spec);
    run(pool, 1e7, 30, law);
    earlier = pool.for_later_jobs(true);
  }
  return earlier.value();
}

// Earlier jobs with this many first attempts: the same ones for each version, with the laws of one
// job.
EarlierJobs counted(const PoolSpec& spec, std::uint32_t jobs) {
  EarlierJobs earlier = after_jobs(1, spec, quick);
  CountedAttempt one = earlier.first_attempts.front();
  earlier.first_attempts.clear();
  for (one.seed = 1; one.seed <= jobs; ++one.seed) {
    for (const std::string& version : spec.version_names) {
      one.version = version;
      earlier.first_attempts.push_back(one);
    }
  }
  return earlier;
}

TEST(AttemptPool, TenGoodJobsAllowAPromiseAfterOnePassThatLawsDoNot) {
  PoolSpec spec = spec_of(0.2);
  spec.probability = 0.99;
  spec.earlier = counted(spec, 10);
  AttemptPool pool(spec);
  const Story story = run(pool, kRoomForSome, 2, quick);
  EXPECT_EQ(story.promised_after, 1u);
}

TEST(AttemptPool, JobsWithTheSameSeedAreCountedOnce) {
  PoolSpec spec = spec_of(0.2);
  spec.probability = 0.99;
  spec.earlier = counted(spec, 10);
  for (CountedAttempt& one : spec.earlier->first_attempts) one.seed = 1;
  AttemptPool pool(spec);
  EXPECT_NE(run(pool, kRoomForSome, 2, quick).promised_after, 1u);
}

TEST(AttemptPool, NothingIsPromisedByLawsIfCountsContradictIt) {
  PoolSpec spec = spec_of(0.2);
  spec.earlier = after_jobs(2, spec, quick);
  // Twenty attempts that had all their passes and learned nothing.
  CountedAttempt failed = spec.earlier->first_attempts.front();
  failed.metrics.assign(spec.passes_max, kStart);
  spec.earlier->first_attempts.clear();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    failed.seed = seed;
    spec.earlier->first_attempts.push_back(failed);
  }
  AttemptPool pool(spec);
  EXPECT_FALSE(run(pool, 200, 30, quick).promised_after.has_value());
}

TEST(AttemptPool, KnowledgeOfEarlierJobsIsPassedOnWithItsOwn) {
  const EarlierJobs two = after_jobs(2, spec_of(0.2), quick);
  const EarlierJobs three = after_jobs(3, spec_of(0.2), quick);
  EXPECT_EQ(three.jobs, 3u);
  EXPECT_GT(three.passes, two.passes);
  EXPECT_EQ(three.first_attempts.back().seed, 3u);
}

// The result of spec_of(), but with all versions again in a second family.
PoolSpec with_two_families(double target) {
  PoolSpec spec = spec_of(target);
  spec.families = 2;
  for (std::uint32_t v = 0; v < 2; ++v) {
    spec.version_names.push_back(spec.version_names[v] + " at rate 0.003");
    spec.versions.push_back(spec.versions[v]);
    spec.variants.push_back(spec.variants[v]);
    spec.variants.back().version += 2;
  }
  return spec;
}

TEST(AttemptPool, TheFirstAttemptIsOfTheFirstFamily) {
  PoolSpec spec = with_two_families(0.2);
  spec.versions[2].passes = spec.versions[3].passes = 0.1;  // The guess favours the second family.
  AttemptPool pool(spec);
  pool.set_untrained_metric(kStart);
  const PoolStep step = pool.next({1e7});
  EXPECT_LT(std::get<PoolTrain>(step.action).variant, 2u);
}

TEST(AttemptPool, NothingBeginsInAFamilyThatIsExcluded) {
  for (const std::uint32_t excluded : {0u, 1u}) {
    AttemptPool pool(with_two_families(0.2));
    pool.set_untrained_metric(kStart);
    pool.on_failed_start(0);
    pool.exclude(excluded);
    const PoolStep step = pool.next({1e7});
    const auto* train = std::get_if<PoolTrain>(&step.action);
    ASSERT_NE(train, nullptr);
    EXPECT_NE(train->variant / 2, excluded);
  }
}

// ---- workers ------------------------------------------------------------------------------------

// The full version on four nodes or on two. Passes take the same time on both.
PoolSpec of_workers(double target) {
  PoolSpec spec = spec_of(target);
  spec.version_names.pop_back();
  spec.versions.pop_back();
  spec.workers_law = WorkersLaw{0.5, 0.35};
  spec.reference_workers = 4;
  spec.variants = {
      {.name = "full on 4", .nodes = 0, .workers = 4, .relative_time = 1, .price_per_s = 2},
      {.name = "full on 2", .nodes = 1, .workers = 2, .relative_time = 2, .price_per_s = 1}};
  return spec;
}

TEST(AttemptPool, EarlierJobsWithAndWithoutTheEffectOfWorkersAreUsed) {
  const PoolSpec spec = of_workers(0.1);
  PoolSpec before = spec;
  before.workers_law.reset();
  const EarlierJobs without = after_jobs(1, before, quick);
  const EarlierJobs with = after_jobs(1, spec, quick);
  EXPECT_EQ(without.laws.mean.size() + 1, with.laws.mean.size());
  for (const EarlierJobs& earlier : {without, with}) {
    for (PoolSpec now : {spec, before}) {
      now.earlier = earlier;
      AttemptPool pool(now);
      pool.set_untrained_metric(kStart);
      EXPECT_EQ(pool.next({1e7}).action.index(), 0u);
    }
  }
}

// Evidence has the number of workers of the pass itself, not that of its variant.
TEST(AttemptPool, APassOfFewerWorkersThanItsVariantHasIsOneOfFewer) {
  const auto expected = [&](std::optional<std::uint32_t> workers) {
    PoolSpec spec = of_workers(0.05);
    spec.variants.pop_back();
    AttemptPool pool(spec);
    pool.set_untrained_metric(kStart);
    for (std::uint32_t k = 1; k <= 4; ++k) pool.on_pass({0, 0, k, quick(k), 0.01, 10, workers});
    return pool.for_later_jobs(true)->laws.mean.back();  // The mean of the workers' parameter.
  };
  EXPECT_EQ(expected(4), expected(std::nullopt));
  EXPECT_NE(expected(4), expected(1));
}

// ---- coming back --------------------------------------------------------------------------------

TEST(AttemptPool, AnAttemptThatIsLoadedWithoutAPassContinuesAsIfItHadStayed) {
  for (const double target : {0.1, 0.3, 0.05}) {
    for (std::size_t passes = 1; passes <= 12; ++passes) {
      AttemptPool stays(spec_of(target));
      AttemptPool comes_back(spec_of(target));
      const auto law = target == 0.05 ? hardly : quick;
      const Story story = run(stays, 300, passes, law);
      run(comes_back, 300, passes, law);
      comes_back.unload();
      double clock = 0;
      for (const PoolPass& pass : story.passes) clock += pass.seconds;
      const PoolStep there = stays.next({300 - clock});
      const PoolStep here = comes_back.next({300 - clock});
      EXPECT_EQ(here.reason, there.reason) << target << " after " << passes;
      EXPECT_EQ(here.action.index(), there.action.index());
    }
  }
}

TEST(AttemptPool, AResultThatWasReachedIsCertifiedAfterComingBack) {
  AttemptPool pool(spec_of(0.4));
  const Story story = run(pool, 1e7, 30, quick);
  AttemptPool again(spec_of(0.4));
  again.set_untrained_metric(kStart);
  for (const PoolPass& pass : story.passes) again.on_pass(pass);
  again.unload();
  const PoolStep step = again.next({1e7});
  const auto* certify = std::get_if<PoolCertify>(&step.action);
  ASSERT_NE(certify, nullptr) << step.reason;
  EXPECT_TRUE(certify->target_met);
}

// The pool is killed after a pass and fed again, and the decision before is counted. The promise is
// then stated or refused after the same pass.
TEST(AttemptPool, PromisesAndRefusalsComeNoLaterForComingBack) {
  struct Case {
    double target;
    double deadline_s;
    std::function<double(std::uint32_t)> law;
  };
  for (const Case& one : {Case{0.2, 1e7, quick}, Case{0.05, 400, hardly}}) {
    AttemptPool pool(spec_of(one.target));
    const Story story = run(pool, one.deadline_s, 30, one.law);
    const std::size_t decided = story.promised_after.value_or(story.passes.size());
    ASSERT_GE(decided, 4u);
    AttemptPool again(spec_of(one.target));
    again.set_untrained_metric(kStart);
    double clock = 0;
    for (std::size_t i = 0; i < decided; ++i) {
      again.on_pass(story.passes[i]);
      clock += story.passes[i].seconds;
      if (i + 2 == decided) again.on_decided({one.deadline_s - clock});
    }
    again.unload();
    const PoolStep step = again.next({one.deadline_s - clock});
    EXPECT_EQ(step.promised.has_value(), story.promised_after.has_value());
    EXPECT_EQ(std::holds_alternative<PoolRefuse>(step.action), !story.promised_after.has_value());
  }
}

}  // namespace attempt_pool_test
}  // namespace surety::plan
