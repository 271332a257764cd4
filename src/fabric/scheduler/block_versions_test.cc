#include "fabric/scheduler/block_versions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::fabric {
namespace block_versions_test {

Time at(double seconds) { return Time(from_seconds(seconds)); }

TEST(BlockVersions, TheVersionOfABlockIsTheNumberOfItsUpdates) {
  BlockVersions versions(4);
  EXPECT_EQ(versions.of(3), 0u);
  versions.commit(at(1), 3, 2);
  versions.commit(at(1), 0, 1);
  versions.commit(at(2), 3, 4);
  EXPECT_EQ(versions.of(0), 1u);
  EXPECT_EQ(versions.of(1), 0u);
  EXPECT_EQ(versions.of(3), 6u);
  EXPECT_EQ(versions.committed(), 7u);
}

TEST(BlockVersions, TheRateOfWholeUpdatesDecaysOverTwoSeconds) {
  BlockVersions versions(4);
  versions.commit(at(10), 0, 8);  // Two whole updates, each counted over two seconds.
  EXPECT_DOUBLE_EQ(versions.commits_per_s(), 1);
  versions.commit(at(12), 1, 4);
  EXPECT_DOUBLE_EQ(versions.commits_per_s(), std::exp(-1.0) + 0.5);
}

}  // namespace block_versions_test
}  // namespace surety::fabric
