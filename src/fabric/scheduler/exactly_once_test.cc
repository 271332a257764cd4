#include "fabric/scheduler/exactly_once.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace surety::fabric {
namespace exactly_once_test {

constexpr WorkerId kOne{1};
constexpr WorkerId kTwo{2};

TEST(ExactlyOnce, ASecondTimeIsADuplicate) {
  ExactlyOnce filter;
  EXPECT_EQ(filter.admit({kOne, 0, 5}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 0, 5}), Admission::kDuplicate);
}

TEST(ExactlyOnce, OvertakenUpdatesAreAdmittedWithinTheWindow) {
  ExactlyOnce filter;
  EXPECT_EQ(filter.admit({kOne, 0, 100}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 0, 37}), Admission::kFirst);  // It is 63 behind the newest.
  EXPECT_EQ(filter.admit({kOne, 0, 36}), Admission::kTooOld);
  EXPECT_EQ(filter.admit({kOne, 0, 37}), Admission::kDuplicate);
}

TEST(ExactlyOnce, AJumpOverTheWholeWindowForgetsWhatWasInIt) {
  ExactlyOnce filter;
  EXPECT_EQ(filter.admit({kOne, 0, 10}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 0, 10 + 64}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 0, 10 + 64}), Admission::kDuplicate);
  EXPECT_EQ(filter.admit({kOne, 0, 11}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 0, 10}), Admission::kTooOld);
}

TEST(ExactlyOnce, AnOldIncarnationIsRefusedAndANewOneStartsAfresh) {
  ExactlyOnce filter;
  EXPECT_EQ(filter.admit({kOne, 1, 5}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 2, 5}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kOne, 1, 6}), Admission::kOldIncarnation);
  EXPECT_EQ(filter.admit({kOne, 2, 5}), Admission::kDuplicate);
}

TEST(ExactlyOnce, WorkersDoNotDisturbOneAnother) {
  ExactlyOnce filter;
  EXPECT_EQ(filter.admit({kOne, 7, 5}), Admission::kFirst);
  EXPECT_EQ(filter.admit({kTwo, 0, 5}), Admission::kFirst);
}

// The network repeats, loses and reorders updates: none is admitted twice, only one that was
// admitted before is called a duplicate, only one of a replaced process is called old, and most are
// admitted.
TEST(ExactlyOnce, HoldsUnderLossDuplicationAndReordering) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    std::vector<UpdateId> under_way;
    std::set<UpdateId> sent;
    std::set<UpdateId> admitted;
    ExactlyOnce filter;
    std::uint32_t incarnation[2] = {0, 0};
    std::uint64_t sequence[2] = {0, 0};
    for (int step = 0; step < 3000; ++step) {
      const std::uint32_t w = static_cast<std::uint32_t>(random.below(2));
      if (random.below(500) == 0) {
        ++incarnation[w];
        sequence[w] = 0;
      }
      const UpdateId id{WorkerId{w}, incarnation[w], sequence[w]++};
      sent.insert(id);
      for (std::uint64_t copies = random.below(4); copies > 0; --copies) under_way.push_back(id);
      while (under_way.size() > 30 || (!under_way.empty() && random.below(2) == 0)) {
        std::swap(under_way[random.below(under_way.size())], under_way.back());
        const UpdateId arrived = under_way.back();
        under_way.pop_back();
        const Admission admission = filter.admit(arrived);
        if (admission == Admission::kFirst) {
          EXPECT_TRUE(admitted.insert(arrived).second);
          EXPECT_TRUE(sent.contains(arrived));
        } else if (admission == Admission::kDuplicate) {
          EXPECT_TRUE(admitted.contains(arrived));
        } else if (admission == Admission::kOldIncarnation) {
          EXPECT_LT(arrived.incarnation, incarnation[arrived.worker.value]);
        }
      }
    }
    EXPECT_GT(admitted.size(), 1500u);
  }
}

}  // namespace exactly_once_test
}  // namespace surety::fabric
