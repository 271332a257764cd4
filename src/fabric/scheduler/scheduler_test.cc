#include "fabric/scheduler/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/random.h"
#include "test/support/fabric/network/flows.h"
#include "test/support/fabric/network/ports.h"
#include "test/support/fabric/scheduler/grants.h"

namespace surety::fabric {
namespace scheduler_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kRate = 100;  // Rate of every port in bytes per second.

template <typename T>
std::vector<T> only(const std::vector<Action>& actions) {
  std::vector<T> some;
  for (const Action& action : actions) {
    if (const T* one = std::get_if<T>(&action)) some.push_back(*one);
  }
  return some;
}

// Workers from 0 on, then the owner, which has retired; 2 blocks of 100 bytes.
class Bed {
 public:
  explicit Bed(std::uint32_t workers, SchedulerOptions options = {})
      : owner{workers}, scheduler_(completed(options, workers)) {
    step(Retire{owner});
  }

  std::vector<Action> step(const Event& event) {
    return scheduler_.step(Time(from_seconds(now_s)), event);
  }
  std::vector<Action> push(std::uint32_t worker, PullNumber read = 0) {
    return step(PushReady{{WorkerId{worker}, ++sequence_}, read});
  }
  // Commits all rounds until there are none, and returns all resulting actions.
  std::vector<Action> run(std::vector<Action> actions) {
    std::vector<Action> all;
    while (!actions.empty()) {
      all.insert(all.end(), actions.begin(), actions.end());
      std::vector<Action> next;
      for (const Action& action : actions) {
        const Grant* grant = std::get_if<Grant>(&action);
        if (grant == nullptr) continue;
        now_s += 0.01;
        const auto more = step(RoundCommitted{grant->round});
        next.insert(next.end(), more.begin(), more.end());
      }
      actions = std::move(next);
    }
    return all;
  }
  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }

  const WorkerId owner;
  double now_s = 0;

 private:
  static SchedulerOptions completed(SchedulerOptions options, std::uint32_t workers) {
    options.blocks = 2;
    options.block_bytes = 100;
    options.workers = equal_ports(workers + 1, {kRate, kRate});
    options.owners = {{WorkerId{workers}, 1}};
    return options;
  }
  Scheduler scheduler_;
  std::uint64_t sequence_ = 0;
};

TEST(Scheduler, RetiredWorkerIsNotWaitedForAndPullsAtOnce) {
  SchedulerOptions options;
  options.quorum = {.batch = 2};
  Bed bed(2, options);
  bed.run(bed.push(0));
  EXPECT_THAT(bed.step(PullRequest{WorkerId{0}}), IsEmpty());  // It waits for worker 1.
  const auto released = only<ModelReady>(bed.run(bed.step(Retire{WorkerId{1}})));
  ASSERT_THAT(released, SizeIs(1));
  EXPECT_EQ(released[0].worker, WorkerId{0});
  const auto last = only<ModelReady>(bed.run(bed.step(PullRequest{WorkerId{1}})));
  ASSERT_THAT(last, SizeIs(1));
  EXPECT_EQ(last[0].worker, WorkerId{1});
  EXPECT_THAT(bed.push(1), IsEmpty());
}

TEST(Scheduler, NewcomerJoinsAtTheNextBlock) {
  Bed bed(2);
  const auto first = only<Grant>(bed.push(0));
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_THAT(bed.push(1), IsEmpty());  // Block 0 is under way.
  const auto second = only<Grant>(bed.step(RoundCommitted{first[0].round}));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].block, 1u);
  EXPECT_THAT(second[0].members, ElementsAre(WorkerId{0}, WorkerId{1}));
  const auto third = bed.step(RoundCommitted{second[0].round});
  EXPECT_THAT(only<UpdateDone>(third), SizeIs(1));
  EXPECT_EQ(only<Grant>(third)[0].block, 0u);
}

TEST(Scheduler, UpdateThatWouldBeTooStaleIsDroppedBeforeItIsSent) {
  Bed bed(2, {.staleness_max = 2});
  bed.run(bed.step(PullRequest{WorkerId{0}}));
  bed.run(bed.step(PullRequest{WorkerId{1}}));
  for (int i = 0; i < 6; ++i) {
    bed.now_s += 100;
    bed.run(bed.push(1, static_cast<PullNumber>(1 + i)));
    bed.run(bed.step(PullRequest{WorkerId{1}}));
  }
  bed.now_s += 100;
  const auto late = bed.push(0, 1);  // Six versions have passed.
  ASSERT_THAT(only<DropUpdate>(late), SizeIs(1));
  EXPECT_THAT(only<Grant>(late), IsEmpty());
  EXPECT_THAT(only<UpdateDone>(late), SizeIs(1));
  // The second update in a row is sent: slow workers are not excluded.
  EXPECT_THAT(only<Grant>(bed.push(0, 1)), SizeIs(1));
}

TEST(Scheduler, EachMemberOfARoundMakesOtherUpdatesStaler) {
  Bed bed(9, {.staleness_max = 5});
  for (std::uint32_t w = 0; w < 9; ++w) bed.run(bed.step(PullRequest{WorkerId{w}}));
  bed.now_s += 100;
  const auto first = bed.push(1);
  for (std::uint32_t w = 2; w < 9; ++w) EXPECT_THAT(bed.push(w), IsEmpty());
  bed.run(first);
  bed.now_s += 100;
  // Eight updates were committed in at most two rounds of a block.
  EXPECT_THAT(only<DropUpdate>(bed.push(0, 1)), SizeIs(1));
}

TEST(Scheduler, ALateMessageAboutAnEndedRoundChangesNothing) {
  Bed bed(1);
  const auto first = only<Grant>(bed.push(0));
  bed.step(RoundCommitted{first[0].round});
  EXPECT_THAT(bed.step(RoundCommitted{first[0].round}), IsEmpty());
  EXPECT_EQ(bed.scheduler().rounds(), 1u);  // The round of the next block.
}

TEST(Scheduler, AggregatorMemoryIsRespected) {
  Bed bed(4, {.aggregator_bytes = 60});
  for (std::uint32_t w = 0; w < 4; ++w) {
    for (const Grant& grant : only<Grant>(bed.push(w))) EXPECT_LE(staged_bytes(grant, 100), 60);
  }
}

// The highest load on any port by the plans of the live rounds at the rates that they promise.
double most_promised(const std::map<RoundId, Grant>& live, WorkerId owner, double headroom) {
  const Share owners[] = {{owner, 1}};
  std::map<std::pair<WorkerId, PortSide>, double> promised;
  for (const auto& [id, grant] : live) {
    const double rate = (1 - headroom) / grant.plan.s_per_byte;
    const GroupTransfer transfer{grant.direction, grant.members, {}, owners};
    for (const Flow& flow : flows_of(transfer, grant.plan)) {
      promised[{flow.from, PortSide::kOut}] += flow.fraction * rate;
      promised[{flow.to, PortSide::kIn}] += flow.fraction * rate;
    }
  }
  double most = 0;
  for (const auto& [end, rate] : promised) most = std::max(most, rate);
  return most;
}

// What workers have open, as far as actions show it.
struct Open {
  std::set<WorkerId> pushing{};           // Workers that may have an update.
  std::set<WorkerId> pulling{};           // Workers that may have a pull.
  std::map<WorkerId, BlockMask> ended{};  // Blocks of their updates that are committed or dropped.

  [[nodiscard]] bool may_retire(WorkerId worker) const {
    return !pushing.contains(worker) && !pulling.contains(worker);
  }
  // Returns whether these blocks of the worker's update end for the first time.
  [[nodiscard]] bool end(WorkerId worker, BlockMask blocks) {
    BlockMask& before = ended[worker];
    const bool is_first = (before & blocks) == 0;
    before |= blocks;
    return is_first;
  }
  // Returns false if blocks end twice, or an update is done before all of its blocks have ended.
  [[nodiscard]] bool follow(const Action& action) {
    if (const DropUpdate* drop = std::get_if<DropUpdate>(&action)) {
      return end(drop->update.worker, drop->blocks);
    }
    if (const ModelReady* ready = std::get_if<ModelReady>(&action)) pulling.erase(ready->worker);
    const UpdateDone* done = std::get_if<UpdateDone>(&action);
    if (done == nullptr) return true;
    pushing.erase(done->update.worker);
    return std::exchange(ended[done->update.worker], 0) == all_blocks(2);
  }
};

// Events arrive in any order, some repeated or invalid, but nobody retires who has an update or a
// pull. No (update, block) is ever in two live rounds, no block of an update is committed twice,
// and the promised rates fit the ports. A worker has one update at a time, so its pushes are those
// of one update until that is done.
TEST(Scheduler, AnUpdateIsInOneRoundAtATimeWhateverHappens) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SchedulerOptions options;
    options.cluster.classes = 1 + static_cast<std::uint32_t>(random.below(3));
    if (random.below(2) == 1) options.staleness_max = 5;
    Bed bed(5, options);
    std::map<RoundId, Grant> live;
    Open open;
    std::uint64_t sequence = 1000;
    for (int event = 0; event < 300; ++event) {
      bed.now_s += 0.01;
      const auto w = static_cast<std::uint32_t>(random.below(5));
      Event next = Tick{};
      const std::uint64_t choice = random.below(9);
      if (choice < 4) {
        next = PushReady{{WorkerId{w}, ++sequence}, random.below(9)};
        open.pushing.insert(WorkerId{w});
      }
      if (choice == 4) {
        next = PullRequest{WorkerId{w}};
        open.pulling.insert(WorkerId{w});
      }
      if (choice == 5 && open.may_retire(WorkerId{w}) && random.below(3) == 0) {
        next = Retire{WorkerId{w}};
      }
      if (choice == 6 && seed % 2 == 0)
        next = RateMeasured{WorkerId{w}, PortSide::kOut, kRate * random.uniform()};
      if (choice >= 7 && !live.empty()) {
        const auto at = std::next(live.begin(), static_cast<long>(random.below(live.size())));
        const Grant& grant = at->second;
        next = RoundCommitted{grant.round};
        for (const WorkerId member : grant.members) {
          if (grant.direction == Direction::kPull) continue;
          ASSERT_TRUE(open.end(member, block_bit(grant.block))) << "seed " << seed;
        }
        live.erase(at);
      }
      for (const Action& action : bed.step(next)) {
        ASSERT_TRUE(open.follow(action)) << "seed " << seed;
        const Grant* grant = std::get_if<Grant>(&action);
        if (grant == nullptr) continue;
        for (const auto& [id, other] : live) {
          if (other.direction != grant->direction) continue;
          for (const WorkerId member : grant->members) {
            ASSERT_EQ(std::ranges::count(other.members, member), 0) << "seed " << seed;
          }
        }
        live[grant->round] = *grant;
      }
      ASSERT_EQ(bed.scheduler().rounds(), live.size()) << "seed " << seed;
      // Estimates do not change, so promises fit the ports at any time.
      if (seed % 2 == 1) {
        ASSERT_LE(most_promised(live, bed.owner, options.headroom), kRate * (1 + 1e-9))
            << "seed " << seed;
      }
    }
  }
}

// Four workers that each own a quarter of the model and train.
class Owners {
 public:
  Owners() : scheduler_(options()) {}
  std::vector<Action> step(const Event& event) {
    return scheduler_.step(Time(from_seconds(now_s)), event);
  }
  // Returns the actions of a tick when the ports of these workers have a tenth of the rate.
  std::vector<PlaceOwners> tick(const std::vector<std::uint32_t>& slow) {
    now_s += 0.1;
    for (std::uint32_t h = 0; h < 4; ++h) {
      const bool is_slow = std::ranges::find(slow, h) != slow.end();
      step(RateMeasured{WorkerId{h}, PortSide::kIn, is_slow ? kRate / 10 : kRate});
    }
    return only<PlaceOwners>(step(Tick{}));
  }
  double now_s = 1;

 private:
  static SchedulerOptions options() {
    SchedulerOptions options{.blocks = 2, .block_bytes = 100};
    options.cluster.classes = 3;
    options.workers = equal_ports(4, {kRate, kRate});
    for (std::uint32_t h = 0; h < 4; ++h) options.owners.push_back({WorkerId{h}, 0.25});
    return options;
  }
  Scheduler scheduler_;
};

std::vector<std::uint32_t> workers_of(const std::vector<Share>& shares) {
  std::vector<std::uint32_t> workers;
  for (const Share& share : shares) workers.push_back(share.worker.value);
  return workers;
}

TEST(Scheduler, WorkersWithSlowPortsOwnNothingUntilTheyAreQuickAgain) {
  Owners owners;
  EXPECT_THAT(owners.tick({}), IsEmpty());
  const auto without = owners.tick({2});
  ASSERT_THAT(without, SizeIs(1));
  EXPECT_THAT(workers_of(without[0].owners), ElementsAre(0, 1, 3));
  EXPECT_DOUBLE_EQ(without[0].owners[0].fraction, 1.0 / 3);
  EXPECT_EQ(without[0].placement, 2u);
  owners.now_s += 3;
  EXPECT_THAT(owners.tick({}), IsEmpty());  // The owners change again only after some time.
  owners.now_s += 3;
  const auto all = owners.tick({});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(workers_of(all[0].owners), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(all[0].placement, 3u);
}

TEST(Scheduler, WhereMostPortsAreSlowNoneIs) {
  Owners owners;
  EXPECT_THAT(owners.tick({0, 1, 2}), IsEmpty());
}

TEST(Scheduler, WhereEveryPortHasASlowSideOwnersStay) {
  Owners owners;
  for (const std::uint32_t h : {0u, 1u}) {
    owners.step(RateMeasured{WorkerId{h}, PortSide::kIn, kRate / 10});
    owners.step(RateMeasured{WorkerId{h + 2}, PortSide::kOut, kRate / 10});
  }
  EXPECT_THAT(only<PlaceOwners>(owners.step(Tick{})), IsEmpty());
}

TEST(Scheduler, ABlockIsMovedOnceBeforeItsFirstRoundUnderOtherOwners) {
  Owners owners;
  const UpdateId update{WorkerId{0}, 1};
  const auto before = owners.step(PushReady{update, 0});
  EXPECT_THAT(only<MoveBlock>(before), IsEmpty());
  const auto first = only<Grant>(before);
  ASSERT_THAT(first, SizeIs(1));
  const auto placed = owners.tick({2});
  ASSERT_THAT(placed, SizeIs(1));
  EXPECT_THAT(workers_of(placed[0].owners), ElementsAre(0, 1, 3));
  // The first block's round ran under the old owners; the second one runs under the new owners.
  const auto after = owners.step(RoundCommitted{first[0].round});
  const auto moves = only<MoveBlock>(after);
  const auto second = only<Grant>(after);
  ASSERT_THAT(moves, SizeIs(1));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(moves[0].block, second[0].block);
  EXPECT_EQ(moves[0].from_placement, first[0].placement);
  EXPECT_EQ(moves[0].placement, second[0].placement);
  EXPECT_LT(first[0].round, moves[0].round);
  EXPECT_LT(moves[0].round, second[0].round);
  EXPECT_EQ(second[0].placement, placed[0].placement);
  owners.step(RoundCommitted{second[0].round});
  // Both blocks are read. The first one is moved now; the second one was moved before.
  auto pulling = owners.step(PullRequest{WorkerId{0}});
  std::vector<std::uint32_t> moved;
  while (!only<Grant>(pulling).empty()) {
    for (const MoveBlock& move : only<MoveBlock>(pulling)) moved.push_back(move.block);
    pulling = owners.step(RoundCommitted{only<Grant>(pulling)[0].round});
  }
  EXPECT_THAT(moved, ElementsAre(first[0].block));
}

}  // namespace scheduler_test
}  // namespace surety::fabric
