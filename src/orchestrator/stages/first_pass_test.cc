#include "orchestrator/stages/first_pass.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace first_pass_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// A slow variant and one that takes a fifth of its time. Both cost 2 per second.
plan::PoolSpec two_variants() {
  plan::PoolSpec pool;
  pool.variants.resize(2);
  for (plan::PoolVariantSpec& variant : pool.variants) variant.price_per_s = 2;
  pool.variants[0].name = "full";
  pool.variants[0].relative_time = 5;
  pool.variants[1].name = "pruned";
  pool.variants[1].relative_time = 1;
  return pool;
}

struct Watched {
  RunState state{};
  FirstPass pass{0.1};  // An evaluation takes a tenth of a pass.

  // The result after the first pass of the slow variant has taken this time. The budget is 1000.
  std::optional<plan::PoolRefuse> at(double seconds, double done, plan::PoolMoment left) {
    return pass.watch(done, {seconds, left, &state}, two_variants(), 0, 1000);
  }
};

plan::PoolMoment left(double seconds, std::optional<double> money = {}) {
  plan::PoolMoment moment;
  moment.seconds_left = seconds;
  moment.money_left = money;
  return moment;
}

TEST(FirstPass, NothingIsJudgedBeforeAFifthOfThePass) {
  Watched run;
  EXPECT_FALSE(run.at(0, 0, left(1)));
  EXPECT_FALSE(run.at(100, 0.19, left(1)));
  EXPECT_TRUE(run.at(100, 0.2, left(1)));
}

TEST(FirstPass, APassIsTimedFromItsBegin) {
  Watched run;
  EXPECT_FALSE(run.at(1000, 0, left(1)));
  EXPECT_FALSE(run.at(1010, 0.5, left(10)));  // It ends in 10 s.
  run.pass.stop();
  EXPECT_FALSE(run.at(1020, 0.5, left(1)));  // Another pass begins here.
  EXPECT_FALSE(run.at(1020, 0.5, left(1)));  // No time has passed since then.
  EXPECT_TRUE(run.at(1030, 0.5, left(0.5)));
}

TEST(FirstPass, ItIsRefusedIfNoVariantHasTheTime) {
  Watched run;
  run.state.record.deadline_s = 60;
  EXPECT_FALSE(run.at(0, 0, left(60)));
  // A pass takes 100 s; one of the faster variant may take 10 s.
  EXPECT_FALSE(run.at(50, 0.5, left(10)));
  const auto refusal = run.at(50, 0.5, left(9));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason_class, plan::ReasonClass::kDeadline);
  EXPECT_THAT(refusal->reason, HasSubstr("a pass of full takes about"));
  EXPECT_THAT(refusal->reason, EndsWith(" leaves time for one pass"));
}

TEST(FirstPass, ItIsRefusedIfNoVariantHasTheMoney) {
  Watched run;
  EXPECT_FALSE(run.at(0, 0, left(1e6, 100)));
  EXPECT_FALSE(run.at(50, 0.5, left(1e6, 20)));
  const auto refusal = run.at(50, 0.5, left(1e6, 19));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason_class, plan::ReasonClass::kBudget);
  // The rest of the pass costs 100, and four evaluations 80. Of this, 161 are missing. A tenth of
  // the budget is added, because the next run may be slower.
  EXPECT_THAT(refusal->reason, HasSubstr("A budget of about 1277.1"));
}

TEST(FirstPass, AnEmptyBudgetIsExplainedByWhatWasGoingOn) {
  Watched run;
  const plan::PoolVariantSpec own = two_variants().variants[0];
  const PoolNow now{50, left(1e6, -10), &run.state};
  const auto reason = [&](FirstPass::Phase phase, double done) {
    return run.pass.out_of_money(phase, done, now, own, 1000).reason;
  };
  EXPECT_THAT(reason(FirstPass::Phase::kBefore, 0), HasSubstr("before the first one began"));
  EXPECT_THAT(reason(FirstPass::Phase::kTraining, 0.5), HasSubstr("too early in the first one"));
  EXPECT_THAT(reason(FirstPass::Phase::kEvaluation, 1), HasSubstr("A budget of about 1111.0"));
  EXPECT_FALSE(run.at(0, 0, now.left));
  EXPECT_THAT(reason(FirstPass::Phase::kTraining, 0.5),
              HasSubstr("when the first one is 50 % complete. A budget of about 1309.0"));
}

}  // namespace first_pass_test
}  // namespace surety::orchestrator
