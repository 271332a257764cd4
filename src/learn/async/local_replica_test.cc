#include "learn/async/local_replica.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::learn {
namespace local_replica_test {

using ::testing::ElementsAre;

TEST(LocalReplica, WorkAfterTheUpdateLiesOnTheModelThatComesBack) {
  LocalReplica replica(std::vector<float>{10, 20}, {});
  std::vector<float> local = {11, 22};
  EXPECT_THAT(replica.seal(local, 3), ElementsAre(1, 2));
  local = {14, 22};  // 3 more in the first value.
  // The model contains our update, and other workers have added 100 to each value.
  replica.adopt(std::vector<float>{111, 122}, {}, local);
  EXPECT_THAT(local, ElementsAre(114, 122));
  EXPECT_THAT(replica.seal(local, 3), ElementsAre(3, 0));
}

TEST(LocalReplica, DroppedWorkIsInTheNextUpdate) {
  LocalReplica replica(std::vector<float>{0, 0, 0}, {});
  std::vector<float> local = {1, 2, 3};
  static_cast<void>(replica.seal(local, 3));
  replica.adopt(std::vector<float>{1, 0, 0},
                std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}}, local);
  EXPECT_THAT(local, ElementsAre(1, 2, 3));
  EXPECT_THAT(replica.seal(local, 3), ElementsAre(0, 2, 3));
}

TEST(LocalReplica, StatisticsAreWeightedApart) {
  LocalReplica replica(std::vector<float>{0, 0}, {.weight = 0.5f, .statistics_weight = 0.25f});
  EXPECT_THAT(replica.seal(std::vector<float>{8, 8}, 1), ElementsAre(4, 2));
}

// learned() contains work that was sent, dropped or neither, whatever the others add.
TEST(LocalReplica, KnowsAllThatWasLearnedHere) {
  LocalReplica replica(std::vector<float>{0, 0}, {.weight = 0.5f});
  std::vector<float> local = {1, 2};
  EXPECT_THAT(replica.learned(local), ElementsAre(1, 2));
  static_cast<void>(replica.seal(local, 2));
  local = {4, 2};  // 3 more in the first value.
  EXPECT_THAT(replica.learned(local), ElementsAre(4, 2));
  replica.adopt(std::vector<float>{100, 200},
                std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}}, local);
  EXPECT_THAT(local, ElementsAre(103, 202));
  EXPECT_THAT(replica.learned(local), ElementsAre(4, 2));
  static_cast<void>(replica.seal(local, 2));
  EXPECT_THAT(replica.learned(local), ElementsAre(4, 2));
}

}  // namespace local_replica_test
}  // namespace surety::learn
