#include "fabric/scheduler/quorum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/random.h"

namespace surety::fabric {
namespace quorum_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr HostId a{0};
constexpr HostId b{1};
constexpr HostId c{2};

Quorum with_three(QuorumOptions options) {
  Quorum quorum(options);
  for (const HostId worker : {a, b, c}) quorum.join(worker);
  return quorum;
}

void finish(Quorum& quorum, HostId worker) {
  quorum.on_finished(worker);
  quorum.wait(worker);
}

TEST(Quorum, AsynchronousWorkerWaitsForNobody) {
  Quorum quorum = with_three({.mode = TrainMode::kAsync});
  finish(quorum, b);
  EXPECT_THAT(quorum.release(), ElementsAre(b));
}

TEST(Quorum, BatchReleasesTogether) {
  Quorum quorum = with_three({.mode = TrainMode::kBatch, .batch = 2});
  finish(quorum, b);
  EXPECT_THAT(quorum.release(), IsEmpty());
  finish(quorum, a);
  EXPECT_THAT(quorum.release(), ElementsAre(a, b));
  finish(quorum, a);
  EXPECT_THAT(quorum.release(), IsEmpty());
}

TEST(Quorum, SynchronousRoundGoesOnWithoutWhoLeft) {
  Quorum quorum = with_three({.mode = TrainMode::kBatch, .batch = 3});
  finish(quorum, a);
  finish(quorum, b);
  EXPECT_THAT(quorum.release(), IsEmpty());
  quorum.leave(c);
  EXPECT_THAT(quorum.release(), ElementsAre(a, b));
}

TEST(Quorum, WhoIsAheadOfTheSlowestByMoreThanTheBoundWaits) {
  Quorum quorum = with_three({.mode = TrainMode::kBoundedStaleness, .ahead = 1});
  finish(quorum, a);  // 1 : 0 : 0
  EXPECT_THAT(quorum.release(), ElementsAre(a));
  finish(quorum, a);  // 2 : 0 : 0
  finish(quorum, b);  // 2 : 1 : 0
  EXPECT_THAT(quorum.release(), ElementsAre(b));
  finish(quorum, c);
  EXPECT_THAT(quorum.release(), ElementsAre(a, c));
}

TEST(Quorum, NewcomerDoesNotHoldTheOthersBack) {
  Quorum quorum = with_three({.mode = TrainMode::kBoundedStaleness, .ahead = 1});
  for (const HostId worker : {a, b, c, a, b, c}) quorum.on_finished(worker);
  quorum.join(HostId{3});
  finish(quorum, a);
  EXPECT_THAT(quorum.release(), ElementsAre(a));
}

TEST(Quorum, WhoAsksAfterItsBatchIsFullDoesNotWaitForTheNext) {
  Quorum quorum = with_three({.mode = TrainMode::kBatch, .batch = 3});
  for (const HostId worker : {a, b, c}) quorum.on_finished(worker);
  quorum.wait(a);
  EXPECT_THAT(quorum.release(), ElementsAre(a));
  quorum.wait(b);
  EXPECT_THAT(quorum.release(), ElementsAre(b));
}

TEST(Quorum, NewcomerGetsItsFirstModelAtOnce) {
  Quorum quorum = with_three({.mode = TrainMode::kBatch, .batch = 3});
  quorum.wait(b);
  EXPECT_THAT(quorum.release(), ElementsAre(b));
}

// In no mode do all workers wait for ever, while workers only push and wait, and others join and
// leave.
TEST(Quorum, SomebodyCanAlwaysGoOn) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const bool is_synchronous = seed % 4 == 3;
    const auto batch = static_cast<std::uint32_t>(1 + random.below(6));
    Quorum quorum({.mode = is_synchronous ? TrainMode::kBatch : static_cast<TrainMode>(seed % 4),
                   .batch = is_synchronous ? std::numeric_limits<std::uint32_t>::max() : batch,
                   .ahead = random.below(3)});
    std::set<HostId> working;
    std::set<HostId> waiting;
    std::uint32_t next = 0;
    for (int step = 0; step < 300; ++step) {
      if (working.empty() || random.uniform() < 0.1) {
        ASSERT_TRUE(!working.empty() || waiting.empty()) << "seed " << seed;
        quorum.join(HostId{next});
        working.insert(HostId{next++});
      }
      auto one = working.begin();
      std::advance(one, static_cast<long>(random.below(working.size())));
      if (random.uniform() < 0.08) {
        quorum.leave(*one);
      } else {
        finish(quorum, *one);
        waiting.insert(*one);
      }
      working.erase(one);
      for (auto release = quorum.release(); !release.empty(); release = quorum.release()) {
        for (const HostId worker : release) {
          waiting.erase(worker);
          working.insert(worker);
        }
      }
    }
  }
}

}  // namespace quorum_test
}  // namespace surety::fabric
