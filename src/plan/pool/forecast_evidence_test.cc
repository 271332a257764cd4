#include "plan/pool/forecast_evidence.h"

#include <gtest/gtest.h>

#include "plan/pool/pool_story_test.h"

namespace surety::plan {
namespace forecast_evidence_test {

using namespace pool_story_test;

// A record in which the first attempt has these passes.
void pass(PoolRecord& record, std::uint32_t passes, double metric) {
  record.on_pass({0, 0, passes, metric, 0.001, 10});
}

PoolOption far() {
  PoolOption option;
  option.attempt = 0;
  option.passes_left = 40;
  option.passes_low = option.passes_high = 1e9;
  return option;
}

TEST(ForecastEvidence, NothingIsSaidBeforeThreePassesThatLearned) {
  PoolRecord record(full_only(0.2));
  record.begin(kStart);
  const ForecastEvidence evidence;
  EXPECT_EQ(evidence.scope(record), ForecastScope::kNothing);
  pass(record, 1, kStart);  // Nothing was learned.
  pass(record, 2, 1.5);
  pass(record, 3, 1.2);
  EXPECT_EQ(evidence.scope(record), ForecastScope::kNothing);
  pass(record, 4, 1.0);
  EXPECT_EQ(evidence.scope(record), ForecastScope::kIfInReach);
}

TEST(ForecastEvidence, ATargetIsOutOfReachIfTwoDecisionsInARowFindItAfterThreePasses) {
  PoolRecord record(full_only(0.2));
  record.begin(kStart);
  ForecastEvidence evidence;
  for (std::uint32_t k = 1; k <= 3; ++k) {
    pass(record, k, 1.5);
    evidence.count(record, far());  // Counts only after the third pass.
  }
  EXPECT_EQ(evidence.scope(record), ForecastScope::kIfInReach);
  evidence.count(record, far());
  EXPECT_EQ(evidence.scope(record), ForecastScope::kAll);
  PoolOption near = far();
  near.passes_low = 7;
  evidence.count(record, near);
  EXPECT_EQ(evidence.scope(record), ForecastScope::kIfInReach);
}

// A network that learns slowly at first, for which the laws predict many passes to the target.
TEST(AttemptPool, AfterOneOrTwoPassesNoForecastNamesPasses) {
  AttemptPool pool(full_only(0.2));
  pool.set_untrained_metric(kStart);
  for (std::uint32_t k = 1; k <= 2; ++k) {
    pool.on_pass({0, 0, k, kStart - 0.4 * k, 0.01, 10});
    EXPECT_EQ(pool.next({1e7}).forecast, "it is too early to say when the target is reached") << k;
  }
}

}  // namespace forecast_evidence_test
}  // namespace surety::plan
