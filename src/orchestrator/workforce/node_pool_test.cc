#include "orchestrator/workforce/node_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace surety::orchestrator {
namespace node_pool_test {

using testing::ElementsAre;
using testing::IsEmpty;
using Counts = std::vector<plan::NodeCount>;

constexpr const char* kSteady = "on-demand";
constexpr const char* kSpot = "spot";

job::NodeTypeSpec type(const std::string& name, std::uint32_t local, double price_per_s) {
  job::NodeTypeSpec spec;
  spec.name = name;
  spec.local = local;
  spec.price_per_s = price_per_s;
  return spec;
}

// A pool of two on-demand nodes at 3/s and two spot nodes at 1/s.
NodePool two_and_two() { return NodePool({type(kSteady, 2, 3), type(kSpot, 2, 1)}); }

NodeTarget target_for(Counts counts, std::uint32_t at_least = 1) {
  return {.counts = std::move(counts), .nodes = {}, .at_least = at_least, .only_first = false};
}

// Requested workers of that type join, with ids from `first` on.
void join(NodePool& pool, const std::string& type, std::vector<std::uint32_t> workers) {
  for (const std::uint32_t worker : workers) {
    pool.on_requested({type, 1});
    pool.on_joined(WorkerId{worker}, type, false);
  }
}

TEST(NodePool, WhatIsWishedAndNotThereIsStartedOnce) {
  NodePool pool = two_and_two();
  const NodeTarget node_target = target_for({{kSpot, 1}});
  EXPECT_EQ(pool.change(node_target).started, (Counts{{kSpot, 1}}));
  pool.on_requested({kSpot, 1});
  EXPECT_THAT(pool.change(node_target).started, IsEmpty());  // The worker was requested.
  pool.on_ended(kSpot);                                      // It ended before it joined.
  EXPECT_EQ(pool.change(node_target).started, (Counts{{kSpot, 1}}));
  join(pool, kSpot, {1});
  EXPECT_EQ(pool.awaited(), 0u);
  EXPECT_THAT(pool.change(node_target).started, IsEmpty());
}

TEST(NodePool, NodesGoWhenTheirSuccessorsAreThere) {
  NodePool pool = two_and_two();
  join(pool, kSpot, {1, 2});
  const NodeTarget node_target = target_for({{kSteady, 2}});
  const NodeChange first = pool.change(node_target);
  EXPECT_EQ(first.started, (Counts{{kSteady, 2}}));
  EXPECT_THAT(first.released, IsEmpty());
  join(pool, kSteady, {3});
  EXPECT_THAT(pool.change(node_target).released, ElementsAre(WorkerId{2}));
  pool.on_left(WorkerId{2});
  join(pool, kSteady, {4});
  EXPECT_THAT(pool.change(node_target).released, ElementsAre(WorkerId{1}));
}

TEST(NodePool, FewerNodesAreReleasedAtOnceTheDearestFirstAndTheNewestOfThem) {
  NodePool pool = two_and_two();
  join(pool, kSteady, {1, 2});
  join(pool, kSpot, {3, 4});
  EXPECT_THAT(pool.change(target_for({{kSpot, 1}})).released,
              ElementsAre(WorkerId{2}, WorkerId{1}, WorkerId{4}));
}

TEST(NodePool, NeverFewerThanAtLeast) {
  NodePool pool = two_and_two();
  join(pool, kSteady, {1, 2});
  EXPECT_THAT(pool.change(target_for({{kSteady, 1}}, 2)).released, IsEmpty());
  pool.on_left(WorkerId{1});
  EXPECT_EQ(pool.change(target_for({{kSteady, 1}}, 2)).started, (Counts{{kSteady, 1}}));
}

TEST(NodePool, ATypeThatCannotBeStartedIsLackingAndOthersStandIn) {
  NodePool pool = two_and_two();
  join(pool, kSteady, {1, 2});
  pool.on_requested({kSpot, 2});
  pool.on_not_started({kSpot, 2});
  const NodeChange change = pool.change(target_for({{kSpot, 2}}));
  EXPECT_EQ(change.lacking, (Counts{{kSpot, 2}}));
  EXPECT_THAT(change.started, IsEmpty());
  EXPECT_THAT(change.released, IsEmpty());
  // If no worker is left as a substitute, a node of another type is started.
  pool.on_left(WorkerId{1});
  pool.on_left(WorkerId{2});
  EXPECT_EQ(pool.change(target_for({{kSpot, 2}})).started, (Counts{{kSteady, 1}}));
}

TEST(NodePool, WhoCameFromElsewhereTakesNobodysPlaceHere) {
  NodePool pool = two_and_two();
  pool.on_joined(WorkerId{1}, kSpot, true);
  EXPECT_EQ(pool.change(target_for({{kSpot, 3}})).started, (Counts{{kSpot, 2}}));
  EXPECT_EQ(pool.change(target_for({{kSpot, 4}})).lacking, (Counts{{kSpot, 1}}));
}

TEST(NodePool, WithoutCountsTheNewestBeyondTheNumberAreReleased) {
  NodePool pool = two_and_two();
  join(pool, kSteady, {1, 3});
  join(pool, kSpot, {2});
  NodeTarget node_target{.counts = {}, .nodes = 1, .at_least = 1, .only_first = false};
  EXPECT_THAT(pool.change(node_target).released, ElementsAre(WorkerId{3}, WorkerId{2}));
  node_target.nodes.reset();
  EXPECT_THAT(pool.change(node_target).released, IsEmpty());
}

TEST(NodePool, AProfileNeedsTheFirstTypeAndLeavesOthersAlone) {
  NodePool pool = two_and_two();
  join(pool, kSpot, {1, 2});
  const NodeTarget node_target{.counts = {}, .nodes = {}, .at_least = 3, .only_first = true};
  EXPECT_EQ(pool.change(node_target).started, (Counts{{kSteady, 2}}));  // No more may run here.
  EXPECT_THAT(pool.change(node_target).released, IsEmpty());
}

// Random targets, joins, losses and failures: checks what the header ensures.
TEST(NodePool, ChangesKeepTheirPromisesWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    NodePool pool({type("a", 2, 3), type("b", 3, 1), type("c", 0, 2)});
    std::map<WorkerId, std::pair<std::string, bool>> there;
    std::map<std::string, std::uint32_t> asked;
    std::uint32_t last = 0;
    for (int event = 0; event < 40; ++event) {
      const std::string name(1, static_cast<char>('a' + random.below(3)));
      const auto kind = random.below(4);
      if (kind == 0 && asked[name] > 0) {
        --asked[name];
        pool.on_joined(WorkerId{++last}, name, false);
        there[WorkerId{last}] = {name, true};
      } else if (kind == 1) {
        pool.on_joined(WorkerId{++last}, name, true);
        there[WorkerId{last}] = {name, false};
      } else if (kind == 2 && !there.empty()) {
        pool.on_left(there.begin()->first);
        there.erase(there.begin());
      } else if (kind == 3 && asked[name] > 0) {
        --asked[name];
        pool.on_ended(name);
      }
      const NodeTarget node_target =
          target_for({{"a", static_cast<std::uint32_t>(random.below(3))},
                      {"b", 1 + static_cast<std::uint32_t>(random.below(4))}},
                     static_cast<std::uint32_t>(random.below(4)));
      const NodeChange change = pool.change(node_target);
      const std::size_t before = there.size();
      for (const WorkerId worker : change.released) {
        ASSERT_EQ(there.erase(worker), 1u) << seed;
        pool.on_left(worker);
      }
      for (const plan::NodeCount& nodes : change.started) {
        asked[nodes.type] += nodes.count;
        pool.on_requested(nodes);
      }
      const std::uint32_t wanted = node_target.counts[0].count + node_target.counts[1].count;
      if (!change.released.empty()) {
        ASSERT_GE(there.size(), std::max(wanted, node_target.at_least)) << seed;
      }
      ASSERT_EQ(before, there.size() + change.released.size());
      for (const auto& [name_of, local] :
           std::map<std::string, std::uint32_t>{{"a", 2}, {"b", 3}, {"c", 0}}) {
        std::uint32_t running = asked[name_of];
        for (const auto& [worker, node] : there) running += node.second && node.first == name_of;
        ASSERT_LE(running, local) << seed << " " << name_of;
      }
      const NodeChange again = pool.change(node_target);
      ASSERT_THAT(again.released, IsEmpty()) << seed;
      ASSERT_THAT(again.started, IsEmpty()) << seed;
    }
  }
}

}  // namespace node_pool_test
}  // namespace surety::orchestrator
