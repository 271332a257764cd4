#include "bench/fabric_sim/local_work.h"

#include <gtest/gtest.h>

namespace surety::bench::sim {
namespace local_work_test {

TEST(LocalWork, StopsAtTheMostStepsAndGoesOnWhenSent) {
  LocalWork work(2);
  work.on_step_done();
  work.on_step_done();
  EXPECT_FALSE(work.may_compute());
  EXPECT_EQ(work.seal(), 2u);
  EXPECT_TRUE(work.may_compute());
  work.on_step_done();
  EXPECT_EQ(work.unsent(), 1u);
}

}  // namespace local_work_test
}  // namespace surety::bench::sim
