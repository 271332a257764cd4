#include "fabric/scheduler/quorum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <vector>

#include "base/random.h"

namespace surety::fabric {
namespace quorum_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WorkerId a{0};
constexpr WorkerId b{1};
constexpr WorkerId c{2};

Quorum with_three(QuorumOptions options) { return Quorum(options, std::vector{a, b, c}); }

void finish(Quorum& quorum, WorkerId worker) {
  quorum.on_finished(worker);
  quorum.wait(worker);
}

TEST(Quorum, AsynchronousWorkerWaitsForNobody) {
  Quorum quorum = with_three({});
  finish(quorum, b);
  EXPECT_THAT(quorum.release(), ElementsAre(b));
}

TEST(Quorum, BatchReleasesTogether) {
  Quorum quorum = with_three({.batch = 2});
  finish(quorum, b);
  EXPECT_THAT(quorum.release(), IsEmpty());
  finish(quorum, a);
  EXPECT_THAT(quorum.release(), ElementsAre(a, b));
  finish(quorum, a);
  EXPECT_THAT(quorum.release(), IsEmpty());
}

TEST(Quorum, SynchronousRoundGoesOnWithoutWhoLeft) {
  Quorum quorum = with_three({.batch = 3});
  finish(quorum, a);
  finish(quorum, b);
  EXPECT_THAT(quorum.release(), IsEmpty());
  quorum.leave(c);
  EXPECT_THAT(quorum.release(), ElementsAre(a, b));
}

TEST(Quorum, WhoIsAheadOfTheSlowestByMoreThanTheBoundWaits) {
  Quorum quorum = with_three({.ahead = 1});
  finish(quorum, a);  // 1 : 0 : 0
  EXPECT_THAT(quorum.release(), ElementsAre(a));
  finish(quorum, a);  // 2 : 0 : 0
  finish(quorum, b);  // 2 : 1 : 0
  EXPECT_THAT(quorum.release(), ElementsAre(b));
  finish(quorum, c);
  EXPECT_THAT(quorum.release(), ElementsAre(a, c));
}

TEST(Quorum, WhoAsksAfterItsBatchIsFullDoesNotWaitForTheNext) {
  Quorum quorum = with_three({.batch = 3});
  for (const WorkerId worker : {a, b, c}) quorum.on_finished(worker);
  quorum.wait(a);
  EXPECT_THAT(quorum.release(), ElementsAre(a));
  quorum.wait(b);
  EXPECT_THAT(quorum.release(), ElementsAre(b));
}

TEST(Quorum, AWorkerGetsItsFirstModelAtOnce) {
  Quorum quorum = with_three({.batch = 3});
  quorum.wait(b);
  EXPECT_THAT(quorum.release(), ElementsAre(b));
}

TEST(Quorum, AWorkerIsInItUntilItLeaves) {
  Quorum quorum = with_three({});
  EXPECT_TRUE(quorum.has(b));
  quorum.leave(b);
  EXPECT_FALSE(quorum.has(b));
  EXPECT_TRUE(quorum.has(c));
}

TEST(Quorum, ABatchAndABoundExcludeEachOther) {
  EXPECT_DEATH(with_three({.batch = 2, .ahead = 1}), "batch && options_.ahead");
}

// In no mode do all workers wait for ever, while workers only push and wait, and some leave.
TEST(Quorum, SomebodyCanAlwaysGoOn) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto batch = static_cast<std::uint32_t>(1 + random.below(6));
    const QuorumOptions modes[] = {{},
                                   {.batch = batch},
                                   {.batch = std::numeric_limits<std::uint32_t>::max()},
                                   {.ahead = random.below(3)}};
    std::vector<WorkerId> workers;
    for (std::uint32_t w = 0; w < 12; ++w) workers.push_back(WorkerId{w});
    Quorum quorum(modes[seed % 4], workers);
    std::set<WorkerId> working(workers.begin(), workers.end());
    std::set<WorkerId> waiting;
    for (int step = 0; step < 600; ++step) {
      if (working.empty()) {
        ASSERT_TRUE(waiting.empty()) << "seed " << seed;
        break;  // All have left.
      }
      auto one = working.begin();
      std::advance(one, static_cast<long>(random.below(working.size())));
      if (random.uniform() < 0.01) {
        quorum.leave(*one);
      } else {
        finish(quorum, *one);
        waiting.insert(*one);
      }
      working.erase(one);
      for (auto release = quorum.release(); !release.empty(); release = quorum.release()) {
        for (const WorkerId worker : release) {
          waiting.erase(worker);
          working.insert(worker);
        }
      }
    }
  }
}

}  // namespace quorum_test
}  // namespace surety::fabric
