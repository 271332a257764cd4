#include "fabric/scheduler/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace surety::fabric {
namespace order_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Indexes = std::vector<std::uint32_t>;

TEST(Slack, CountsTheCommitsOfTheTimeOnTheWay) {
  // Read at 100, now 104, bound 10: six commits may come before it. At 2 a second, 1.5 s takes
  // three of them.
  EXPECT_EQ(slack_of({.bound = 10, .version_read = 100, .version_now = 104}), 6);
  EXPECT_EQ(slack_of({.bound = 10,
                      .version_read = 100,
                      .version_now = 104,
                      .commits_per_s = 2,
                      .transfer_s = 1.5}),
            3);
}

TEST(Select, DropsTheLeastValuableOfTwoForOnePosition) {
  const std::vector<Candidate> both = {{.slack = 0, .value = 1}, {.slack = 0, .value = 2}};
  const Selection selection = select(both);
  EXPECT_THAT(selection.kept, ElementsAre(1));
  EXPECT_THAT(selection.dropped, ElementsAre(0));
}

TEST(Select, DropsWhatIsTooLateEvenAlone) {
  EXPECT_THAT(select(std::vector<Candidate>{{.slack = -1, .value = 9}}).kept, IsEmpty());
}

TEST(Order, ShortestFirstUnlessADeadlineForbids) {
  const std::vector<Candidate> relaxed = {{.transfer_s = 3, .slack = 9},
                                          {.transfer_s = 1, .slack = 9}};
  EXPECT_THAT(order(relaxed, Indexes{0, 1}), ElementsAre(1, 0));
  const std::vector<Candidate> urgent = {{.transfer_s = 3, .slack = 0},
                                         {.transfer_s = 1, .slack = 9}};
  EXPECT_THAT(order(urgent, Indexes{0, 1}), ElementsAre(0, 1));
}

TEST(Order, AlikeOnesCommitByIndex) {
  const std::vector<Candidate> alike(3, Candidate{.transfer_s = 1, .slack = 9});
  EXPECT_THAT(order(alike, Indexes{0, 1, 2}), ElementsAre(0, 1, 2));
}

TEST(DropGuard, AcceptsAfterSoManyDropsInARow) {
  DropGuard guard(2);
  const HostId host{3};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(guard.may_drop(host));
    guard.on_dropped(host);
  }
  EXPECT_FALSE(guard.may_drop(host));
  EXPECT_TRUE(guard.may_drop(HostId{4}));
  guard.on_accepted(host);
  EXPECT_TRUE(guard.may_drop(host));
}

// Brute force over every order of every subset.
struct Best {
  std::size_t kept = 0;
  double value = 0;
  double sum_of_commit_s = 0;  // Sum for the set that select() chose.
};

bool meets_deadlines(const std::vector<Candidate>& candidates, const Indexes& sequence) {
  for (std::size_t p = 0; p < sequence.size(); ++p) {
    if (candidates[sequence[p]].slack < static_cast<std::int64_t>(p)) return false;
  }
  return true;
}

double sum_of_commit_s(const std::vector<Candidate>& candidates, const Indexes& sequence) {
  double now_s = 0;
  double sum_s = 0;
  for (const std::uint32_t index : sequence) sum_s += now_s += candidates[index].transfer_s;
  return sum_s;
}

Best exhaustive(const std::vector<Candidate>& candidates, const Indexes& chosen) {
  Best best;
  best.sum_of_commit_s = 1e300;
  for (unsigned subset = 0; subset < 1u << candidates.size(); ++subset) {
    Indexes sequence;
    double value = 0;
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      sequence.push_back(i);
      value += candidates[i].value;
    }
    const bool is_chosen = sequence == chosen;
    bool feasible = false;
    do {
      if (!meets_deadlines(candidates, sequence)) continue;
      feasible = true;
      if (!is_chosen) break;
      best.sum_of_commit_s = std::min(best.sum_of_commit_s, sum_of_commit_s(candidates, sequence));
    } while (std::next_permutation(sequence.begin(), sequence.end()));
    if (!feasible || sequence.size() < best.kept) continue;
    if (sequence.size() > best.kept || value > best.value) best.value = value;
    best.kept = sequence.size();
  }
  return best;
}

TEST(SelectAndOrder, AreAsGoodAsTryingEverything) {
  Random random(1);
  for (int instance = 0; instance < 4000; ++instance) {
    std::vector<Candidate> candidates(1 + random.below(6));
    for (Candidate& candidate : candidates) {
      candidate = {.transfer_s = static_cast<double>(1 + random.below(9)),
                   .slack = static_cast<std::int64_t>(random.below(8)) - 1,
                   .value = static_cast<double>(random.below(20)) - 10};
    }
    const Selection selection = select(candidates);
    const Indexes sequence = order(candidates, selection.kept);
    double value = 0;
    for (const std::uint32_t index : selection.kept) value += candidates[index].value;

    const Best best = exhaustive(candidates, selection.kept);
    ASSERT_EQ(selection.kept.size() + selection.dropped.size(), candidates.size());
    ASSERT_EQ(selection.kept.size(), best.kept) << "instance " << instance;
    if (best.kept > 0) {
      ASSERT_EQ(value, best.value) << "instance " << instance;
      ASSERT_TRUE(meets_deadlines(candidates, sequence)) << "instance " << instance;
      ASSERT_EQ(sum_of_commit_s(candidates, sequence), best.sum_of_commit_s);
    }
  }
}

}  // namespace order_test
}  // namespace surety::fabric
