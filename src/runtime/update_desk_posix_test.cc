#include "runtime/update_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/posix/wait_testing.h"

namespace surety::runtime {
namespace update_desk_posix_test {

using ::testing::ElementsAre;

// A model of one value; the test trains it by adding to it.
class Desk {
 public:
  explicit Desk(const learn::MergeOptions& options)
      : desk(options, learn::LocalReplica(std::vector<float>{0}, {}), [] {}) {}

  [[nodiscard]] Result<void> learn(float much, bool last = false) {
    local[0] += much;
    return desk.merge({local, 1, 1, last});
  }
  void answer(float model, std::vector<std::pair<std::size_t, std::size_t>> dropped = {}) {
    desk.answer({{model}, std::move(dropped)});
  }

  // The next update that the learning thread has for others.
  UpdateDesk::Update next_update() {
    std::optional<UpdateDesk::Update> update;
    const auto came = posix::wait_until("an update", [&] {
      update = desk.take_update();
      return update.has_value();
    });
    EXPECT_TRUE(came);
    if (!came) desk.close();  // Then no thread waits for an update that does not come.
    return update.value_or(UpdateDesk::Update{});
  }

  std::vector<float> local = {0};
  UpdateDesk desk;
};

TEST(UpdateDesk, WorkDuringAnUpdateIsInTheNextOne) {
  Desk bed({.overlap = true});
  ASSERT_TRUE(bed.learn(1));
  ASSERT_TRUE(bed.learn(2));
  ASSERT_TRUE(bed.learn(4));
  EXPECT_THAT(bed.desk.take_update()->values, ElementsAre(1));
  EXPECT_FALSE(bed.desk.take_update());
  bed.answer(101);
  ASSERT_TRUE(bed.learn(8));
  const auto next = bed.desk.take_update();
  ASSERT_TRUE(next);
  EXPECT_THAT(next->values, ElementsAre(14));
  EXPECT_EQ(next->steps, 3u);
  EXPECT_THAT(bed.local, ElementsAre(115));
}

TEST(UpdateDesk, WaitsForTheModelWithoutOverlapAndAtTheEnd) {
  for (const bool overlap : {false, true}) {
    Desk bed({.overlap = overlap});
    auto learning = std::async(std::launch::async, [&] { return bed.learn(1, overlap); });
    (void)bed.next_update();
    bed.answer(51);
    ASSERT_TRUE(learning.get());
    EXPECT_THAT(bed.local, ElementsAre(51));
  }
}

TEST(UpdateDesk, WhatWasDroppedIsSentAgainBeforeTheEnd) {
  Desk bed({.overlap = true});
  auto learning = std::async(std::launch::async, [&] { return bed.learn(1, true); });
  (void)bed.next_update();
  bed.answer(50, {{0, 1}});
  EXPECT_THAT(bed.next_update().values, ElementsAre(1));
  bed.answer(51);
  ASSERT_TRUE(learning.get());
}

TEST(UpdateDesk, NobodyWaitsAfterItIsClosed) {
  Desk bed({.overlap = false});
  auto learning = std::async(std::launch::async, [&] { return bed.learn(1); });
  (void)bed.next_update();
  bed.desk.close();
  EXPECT_FALSE(learning.get());
}

TEST(UpdateDesk, LearnsNoFurtherAheadThanItMay) {
  Desk bed({.overlap = true, .unsent_max = 2});
  ASSERT_TRUE(bed.learn(1));
  ASSERT_TRUE(bed.learn(1));
  auto learning = std::async(std::launch::async, [&] { return bed.learn(1); });
  EXPECT_THAT(bed.desk.take_update()->values, ElementsAre(1));
  bed.answer(1);
  ASSERT_TRUE(learning.get());  // It returns because it waited for the answer.
  EXPECT_THAT(bed.desk.take_update()->values, ElementsAre(2));
}

}  // namespace update_desk_posix_test
}  // namespace surety::runtime
