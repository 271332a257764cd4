#include "elastic/ownership/placement.h"

#include <gmock/gmock.h>

#include <map>

#include "base/random.h"

namespace surety::elastic {
namespace placement_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};

// Adds `count` chunks of 10 samples each at `worker`, with `left` of them still to do.
void add(std::vector<Piece>& pieces, int count, std::optional<WorkerId> worker,
         std::uint32_t left = 10) {
  for (int i = 0; i < count; ++i) {
    const ChunkId chunk{static_cast<std::uint32_t>(pieces.size())};
    pieces.push_back({.chunk = chunk, .samples = 10, .left = left, .bytes = 100, .at = worker});
  }
}

struct Loads {
  std::map<WorkerId, std::uint64_t> samples;
  std::map<WorkerId, std::uint64_t> left;
};

// Returns the loads after the placement; fails the test if a chunk is moved twice or has no worker.
Loads loads_after(const std::vector<Piece>& pieces, const std::vector<WorkerId>& workers,
                  const Placement& placement) {
  std::map<ChunkId, WorkerId> moved;
  for (const auto* moves : {&placement.placed, &placement.fills, &placement.balances}) {
    for (const Placed& move : *moves) {
      EXPECT_TRUE(moved.emplace(move.chunk, move.to).second) << "moved twice: " << move.chunk.value;
    }
  }
  Loads loads;
  for (const WorkerId worker : workers) loads.samples[worker] = loads.left[worker] = 0;
  for (const Piece& piece : pieces) {
    EXPECT_TRUE(piece.at || moved.contains(piece.chunk)) << "nowhere: " << piece.chunk.value;
    const WorkerId worker = moved.contains(piece.chunk) ? moved[piece.chunk] : *piece.at;
    loads.samples[worker] += piece.samples;
    loads.left[worker] += piece.left;
  }
  return loads;
}

TEST(Placement, AnOrphanGoesToTheLeastLoaded) {
  std::vector<Piece> pieces;
  add(pieces, 3, kW1);
  add(pieces, 1, kW2);
  add(pieces, 2, std::nullopt);
  const std::vector workers{kW1, kW2};
  EXPECT_THAT(place(pieces, workers, {}).placed,
              ElementsAre(Placed{ChunkId{4}, kW2}, Placed{ChunkId{5}, kW2}));
}

TEST(Placement, TiesGoToTheLowerWorker) {
  std::vector<Piece> pieces;
  add(pieces, 3, std::nullopt);
  const std::vector workers{kW1, kW2};
  EXPECT_THAT(
      place(pieces, workers, {}).placed,
      ElementsAre(Placed{ChunkId{0}, kW1}, Placed{ChunkId{1}, kW2}, Placed{ChunkId{2}, kW1}));
}

TEST(Placement, TheLargestOrphanIsPlacedFirst) {
  // If chunks were placed in the order of ids, the loads would be 10 + 20 and 10.
  std::vector<Piece> pieces;
  add(pieces, 3, std::nullopt);
  pieces[2].samples = pieces[2].left = 20;
  const std::vector workers{kW1, kW2};
  const auto loads = loads_after(pieces, workers, place(pieces, workers, {}));
  EXPECT_THAT(loads.samples, ElementsAre(std::pair{kW1, 20u}, std::pair{kW2, 20u}));
}

TEST(Placement, AnUnfinishedOrphanGoesWhereLessIsLeft) {
  // Both have 20 samples, but worker 2 has done all of them.
  std::vector<Piece> pieces;
  add(pieces, 2, kW1);
  add(pieces, 2, kW2, 0);
  add(pieces, 1, std::nullopt);
  const std::vector workers{kW1, kW2};
  EXPECT_THAT(place(pieces, workers, {}).placed, ElementsAre(Placed{ChunkId{4}, kW2}));
}

TEST(Placement, AJoinerGetsItsShareAtOnce) {
  std::vector<Piece> pieces;
  add(pieces, 6, kW1);
  add(pieces, 6, kW2);
  const std::vector workers{kW1, kW2, kW3};
  const auto placement = place(pieces, workers, {.moves_max = 0});
  EXPECT_THAT(placement.fills, SizeIs(4));  // Exactly 12 / 3.
  const auto loads = loads_after(pieces, workers, placement);
  EXPECT_THAT(loads.samples,
              ElementsAre(std::pair{kW1, 40u}, std::pair{kW2, 40u}, std::pair{kW3, 40u}));
}

TEST(Placement, JoinersShareWithEachOther) {
  std::vector<Piece> pieces;
  add(pieces, 12, kW1);
  const std::vector workers{kW1, kW2, kW3};
  const auto placement = place(pieces, workers, {.moves_max = 0});
  EXPECT_THAT(placement.fills, SizeIs(8));
  const auto loads = loads_after(pieces, workers, placement);
  EXPECT_THAT(loads.samples,
              ElementsAre(std::pair{kW1, 40u}, std::pair{kW2, 40u}, std::pair{kW3, 40u}));
}

TEST(Placement, AJoinerInTheMiddleOfAPassGetsFinishedAndUnfinishedChunks) {
  std::vector<Piece> pieces;
  for (const WorkerId worker : {kW1, kW2}) {
    add(pieces, 3, worker, 0);
    add(pieces, 3, worker, 10);
  }
  const std::vector workers{kW1, kW2, kW3};
  const auto loads = loads_after(pieces, workers, place(pieces, workers, {}));
  EXPECT_THAT(loads.samples,
              ElementsAre(std::pair{kW1, 40u}, std::pair{kW2, 40u}, std::pair{kW3, 40u}));
  EXPECT_THAT(loads.left,
              ElementsAre(std::pair{kW1, 20u}, std::pair{kW2, 20u}, std::pair{kW3, 20u}));
}

TEST(Placement, NothingMovesWithinOneChunk) {
  std::vector<Piece> pieces;
  add(pieces, 3, kW1);
  add(pieces, 2, kW2);
  const std::vector workers{kW1, kW2};
  const auto placement = place(pieces, workers, {.imbalance_min = 0});
  EXPECT_THAT(placement.balances, IsEmpty());
  EXPECT_THAT(placement.reason, HasSubstr("A difference of 10 samples is allowed: balanced"));
}

TEST(Placement, SmallImbalanceIsNotWorthAMove) {
  // 102 against 98 chunks, with a mean load of 1000 samples: 4 % apart. One move makes it 2 %.
  std::vector<Piece> pieces;
  add(pieces, 102, kW1);
  add(pieces, 98, kW2);
  const std::vector workers{kW1, kW2};
  EXPECT_THAT(place(pieces, workers, {.imbalance_min = 0.04}).balances, IsEmpty());
  EXPECT_THAT(place(pieces, workers, {.imbalance_min = 0.03}).balances, SizeIs(1));
  EXPECT_THAT(place(pieces, workers, {.imbalance_min = 0.01}).balances, SizeIs(2));
}

TEST(Placement, NoMoreThanMovesMaxBalance) {
  std::vector<Piece> pieces;
  add(pieces, 9, kW1);
  add(pieces, 1, kW2);
  const std::vector workers{kW1, kW2};
  const auto placement = place(pieces, workers, {.moves_max = 2});
  EXPECT_THAT(placement.balances, SizeIs(2));
  EXPECT_THAT(placement.reason, HasSubstr("differs by at most 40 samples (before: 80)"));
  EXPECT_THAT(placement.reason, HasSubstr("the largest number of moves is reached"));
  EXPECT_THAT(place(pieces, workers, {.moves_max = 9}).balances, SizeIs(4));
}

TEST(Placement, OfTwoEqualMovesTheOneWithFewerBytesIsMade) {
  std::vector<Piece> pieces;
  add(pieces, 4, kW1);
  add(pieces, 1, kW2);
  pieces[2].bytes = 99;
  const std::vector workers{kW1, kW2};
  EXPECT_THAT(place(pieces, workers, {.moves_max = 1}).balances,
              ElementsAre(Placed{ChunkId{2}, kW2}));
}

TEST(Placement, OneLargeMoveIsBetterThanTwoSmallOnes) {
  // 60 against 20: one chunk of 20 makes them equal.
  std::vector<Piece> pieces;
  add(pieces, 4, kW1);
  add(pieces, 2, kW2);
  pieces.push_back({.chunk = ChunkId{6}, .samples = 20, .left = 20, .bytes = 200, .at = kW1});
  const std::vector workers{kW1, kW2};
  EXPECT_THAT(place(pieces, workers, {}).balances, ElementsAre(Placed{ChunkId{6}, kW2}));
}

TEST(Placement, AWorkerLeftBehindInThisPassIsHelpedWithoutGettingLessForTheNext) {
  // Worker 1 is behind by 4 chunks; both own 40 samples, before and after.
  std::vector<Piece> pieces;
  add(pieces, 4, kW1, 10);
  add(pieces, 4, kW2, 0);
  const std::vector workers{kW1, kW2};
  const auto placement = place(pieces, workers, {});
  EXPECT_THAT(placement.balances, ElementsAre(Placed{ChunkId{0}, kW2}, Placed{ChunkId{4}, kW1}));
  const auto loads = loads_after(pieces, workers, placement);
  EXPECT_THAT(loads.left, ElementsAre(std::pair{kW1, 30u}, std::pair{kW2, 10u}));
}

TEST(Placement, AWorkerMoreThanThereAreChunksStaysWithout) {
  std::vector<Piece> pieces;
  add(pieces, 1, kW1);
  add(pieces, 1, kW2);
  const std::vector workers{kW1, kW2, kW3};
  const auto placement = place(pieces, workers, {});
  EXPECT_THAT(placement.fills, IsEmpty());
  EXPECT_THAT(placement.balances, IsEmpty());
}

// Brute force: the smallest possible largest load over all placements.
std::uint64_t best_makespan(const std::vector<Piece>& pieces, std::size_t workers,
                            std::vector<std::uint64_t>& loads, std::size_t next) {
  if (next == pieces.size()) return *std::max_element(loads.begin(), loads.end());
  std::uint64_t best = UINT64_MAX;
  for (std::size_t w = 0; w < workers; ++w) {
    loads[w] += pieces[next].samples;
    best = std::min(best, best_makespan(pieces, workers, loads, next + 1));
    loads[w] -= pieces[next].samples;
  }
  return best;
}

TEST(Placement, TheLargestLoadIsWithinOneLargestChunkOfTheBestPossible) {
  Random random(1);
  for (int instance = 0; instance < 500; ++instance) {
    const std::size_t count = 1 + random.below(3);
    std::vector<WorkerId> workers;
    for (std::uint32_t w = 0; w < count; ++w) workers.push_back(WorkerId{w + 1});
    std::vector<Piece> pieces;
    std::uint32_t largest = 0;
    add(pieces, static_cast<int>(1 + random.below(7)), std::nullopt);
    for (Piece& piece : pieces) {
      piece.samples = piece.left = static_cast<std::uint32_t>(1 + random.below(30));
      largest = std::max(largest, piece.samples);
      if (random.below(2) == 0) piece.at = workers[random.below(count)];
    }
    const auto placement = place(pieces, workers, {.moves_max = 100, .imbalance_min = 0});
    std::uint64_t makespan = 0;
    for (const auto& [worker, load] : loads_after(pieces, workers, placement).samples) {
      makespan = std::max(makespan, load);
    }
    std::vector<std::uint64_t> empty(count);
    EXPECT_LE(makespan, best_makespan(pieces, count, empty, 0) + largest) << placement.reason;
  }
}

// Half of the pass is done, and chunks are anywhere: a second place() finds no further moves.
TEST(Placement, DoneTwiceTheSecondFindsNothingToMove) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::vector workers{kW1, kW2, kW3};
    std::vector<Piece> pieces;
    add(pieces, static_cast<int>(1 + random.below(40)), std::nullopt);
    for (Piece& piece : pieces) piece.left = static_cast<std::uint32_t>(random.below(11));
    const auto first = place(pieces, workers, {.moves_max = 1000});
    for (const auto* moves : {&first.placed, &first.fills, &first.balances}) {
      for (const Placed& move : *moves) pieces[move.chunk.value].at = move.to;
    }
    const auto second = place(pieces, workers, {.moves_max = 1000});
    EXPECT_THAT(second.fills, IsEmpty()) << "seed " << seed << ": " << second.reason;
    EXPECT_THAT(second.balances, IsEmpty()) << "seed " << seed << ": " << second.reason;
  }
}

}  // namespace placement_test
}  // namespace surety::elastic
