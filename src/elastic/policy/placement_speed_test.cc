// Tests placement for workers of different speeds, and within limits on bytes.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/random.h"
#include "elastic/ownership/placement.h"
#include "elastic/policy/shares.h"

namespace surety::elastic {
namespace placement_speed_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};
constexpr PlacementOptions kNoLimits{.moves_max = 1000, .imbalance_min = 0};

void add(std::vector<Piece>& pieces, int count, std::optional<WorkerId> worker,
         std::uint32_t samples = 10) {
  for (int i = 0; i < count; ++i) {
    const ChunkId chunk{static_cast<std::uint32_t>(pieces.size())};
    pieces.push_back(
        {.chunk = chunk, .samples = samples, .left = samples, .bytes = 100, .at = worker});
  }
}

std::size_t make_moves(const Placement& placement, std::vector<Piece>& pieces) {
  std::size_t moves = 0;
  for (const auto* list : {&placement.placed, &placement.fills, &placement.balances}) {
    for (const Placed& move : *list) pieces[move.chunk.value].at = move.to;
    moves += list->size();
  }
  return moves;
}

std::map<WorkerId, int> chunks_of(const std::vector<Piece>& pieces) {
  std::map<WorkerId, int> counts;
  for (const Piece& piece : pieces) ++counts[*piece.at];
  return counts;
}

double finish(const std::vector<Piece>& pieces, const std::vector<WorkerId>& workers,
              const std::vector<double>& costs) {
  double latest = 0;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    double load = 0;
    for (const Piece& piece : pieces) load += piece.at == workers[w] ? piece.samples : 0;
    latest = std::max(latest, load * costs[w]);
  }
  return latest;
}

TEST(PlacementBySpeed, AWorkerThatIsTwiceAsSlowEndsWithHalfTheChunks) {
  std::vector<Piece> pieces;
  add(pieces, 15, kW1);
  add(pieces, 15, kW2);
  make_moves(place(pieces, std::vector{kW1, kW2}, std::vector{1.0, 2.0}, kNoLimits), pieces);
  EXPECT_THAT(chunks_of(pieces), ElementsAre(std::pair{kW1, 20}, std::pair{kW2, 10}));
}

TEST(PlacementBySpeed, OrphansGoToTheWorkerThatEndsFirst) {
  std::vector<Piece> pieces;
  add(pieces, 9, std::nullopt);
  make_moves(place(pieces, std::vector{kW1, kW2}, std::vector{1.0, 2.0}, kNoLimits), pieces);
  EXPECT_THAT(chunks_of(pieces), ElementsAre(std::pair{kW1, 6}, std::pair{kW2, 3}));
}

TEST(PlacementBySpeed, AFasterJoinerGetsMore) {
  std::vector<Piece> pieces;
  add(pieces, 12, kW1);
  make_moves(place(pieces, std::vector{kW1, kW2}, std::vector{3.0, 1.0}, kNoLimits), pieces);
  EXPECT_THAT(chunks_of(pieces), ElementsAre(std::pair{kW1, 3}, std::pair{kW2, 9}));
}

TEST(PlacementBySpeed, ADifferenceOfTwoPercentIsNotWorthAMove) {
  std::vector<Piece> pieces;
  add(pieces, 200, kW1);
  add(pieces, 200, kW2);
  const std::vector workers{kW1, kW2};
  // At 1 % the loads differ by 20 of 2,000. At 3 % they differ by 60, and by 40 after one move of
  // 20.
  EXPECT_THAT(place(pieces, workers, std::vector{1.0, 1.01}, {}).balances, IsEmpty());
  EXPECT_THAT(place(pieces, workers, std::vector{1.0, 1.03}, {}).balances, SizeIs(1));
}

// Moves are made one after another, and each is the best at its time: the slowest finish falls with
// each move.
TEST(PlacementBySpeed, EveryBalancingMoveLowersTheSlowestFinishOfTwo) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::vector workers{kW1, kW2};
    const std::vector costs{0.5 + random.uniform(), 0.5 + 3 * random.uniform()};
    std::vector<Piece> pieces;
    for (int i = 0; i < 20; ++i) {
      add(pieces, 1, workers[random.below(2)], static_cast<std::uint32_t>(1 + random.below(20)));
    }
    make_moves(place(pieces, workers, costs, {.moves_max = 0}), pieces);
    double before = finish(pieces, workers, costs);
    while (make_moves(place(pieces, workers, costs, {.moves_max = 1, .imbalance_min = 0}), pieces) >
           0) {
      const double after = finish(pieces, workers, costs);
      EXPECT_LT(after, before) << "seed " << seed;
      before = after;
    }
  }
}

double best_finish(std::vector<Piece>& pieces, const std::vector<WorkerId>& workers,
                   const std::vector<double>& costs, std::size_t next) {
  if (next == pieces.size()) return finish(pieces, workers, costs);
  double best = 1e300;
  for (const WorkerId worker : workers) {
    pieces[next].at = worker;
    best = std::min(best, best_finish(pieces, workers, costs, next + 1));
  }
  return best;
}

TEST(PlacementBySpeed, TheSlowestFinishIsWithinOneLargestChunkOfTheBestOfAllPlacements) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::vector<WorkerId> workers{kW1, kW2, kW3};
    workers.resize(1 + random.below(3));
    std::vector<double> costs(workers.size());
    for (double& cost : costs) cost = 1 + 3 * random.uniform();
    std::vector<Piece> pieces;
    std::uint32_t largest = 0;
    const std::size_t count = 1 + random.below(6);
    for (std::size_t i = 0; i < count; ++i) {
      const auto samples = static_cast<std::uint32_t>(1 + random.below(30));
      largest = std::max(largest, samples);
      std::optional<WorkerId> at;
      if (random.below(2) == 0) at = workers[random.below(workers.size())];
      add(pieces, 1, at, samples);
    }
    const Placement placement = place(pieces, workers, costs, kNoLimits);
    make_moves(placement, pieces);
    const double found = finish(pieces, workers, costs);
    const double slowest = *std::max_element(costs.begin(), costs.end());
    EXPECT_LE(found, 1.001 * best_finish(pieces, workers, costs, 0) + largest * slowest)
        << "seed " << seed << ": " << placement.reason;
  }
}

// Placement does not oscillate: at constant speeds no chunk ever returns to a worker that it has
// left.
TEST(PlacementBySpeed, AtConstantSpeedsMovesEndAndNoChunkReturns) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    std::vector<WorkerId> workers;
    std::vector<double> costs;
    for (std::uint32_t w = 0; w < 2 + random.below(6); ++w) {
      workers.push_back(WorkerId{w + 1});
      costs.push_back(1 + 3 * random.uniform());
    }
    std::vector<Piece> pieces;
    const std::size_t count = 20 + random.below(60);
    for (std::size_t i = 0; i < count; ++i) {
      add(pieces, 1, workers[random.below(workers.size())],
          static_cast<std::uint32_t>(5 + random.below(10)));
    }
    make_moves(place(pieces, workers, costs, {.moves_max = 0}),
               pieces);  // It fills workers without any chunk.
    std::map<ChunkId, std::set<WorkerId>> been;
    for (const Piece& piece : pieces) been[piece.chunk].insert(*piece.at);
    std::size_t returns = 0;
    bool at_rest = false;
    for (int i = 0; i < 200 && !at_rest; ++i) {
      const Placement placement = place(pieces, workers, costs, {.moves_max = 3});
      for (const Placed& move : placement.balances) {
        returns += been[move.chunk].insert(move.to).second ? 0 : 1;
      }
      at_rest = make_moves(placement, pieces) == 0;
    }
    EXPECT_TRUE(at_rest) << "seed " << seed;
    EXPECT_EQ(returns, 0u) << "seed " << seed;
  }
}

TEST(PlacementBudget, BalancingSendsNoMoreBytesThanAllowed) {
  std::vector<Piece> pieces;
  add(pieces, 20, kW1);
  add(pieces, 2, kW2);
  add(pieces, 2, kW3);
  // Chunks have 100 bytes: three leave worker 1, to any workers.
  PlacementOptions options = kNoLimits;
  options.bytes_max = 350;
  const std::vector workers{kW1, kW2, kW3};
  const std::vector costs{1.0, 1.0, 1.0};
  EXPECT_THAT(place(pieces, workers, costs, options).balances, SizeIs(3));
}

TEST(PlacementBudget, AJoinerIsFilledAsFarAsTheBytesGo) {
  std::vector<Piece> pieces;
  add(pieces, 10, kW1);
  add(pieces, 10, kW2);
  PlacementOptions options{.moves_max = 0};
  const std::vector workers{kW1, kW2, kW3};
  const std::vector costs{1.0, 1.0, 1.0};
  EXPECT_THAT(place(pieces, workers, costs, options).fills, SizeIs(6));
  options.bytes_max = 250;
  EXPECT_THAT(place(pieces, workers, costs, options).fills, SizeIs(2));
  // The first chunk moves, however large it is.
  options.bytes_max = 10;
  EXPECT_THAT(place(pieces, workers, costs, options).fills, SizeIs(1));
}

TEST(PlacementBudget, OrphansArePlacedWithoutALimitOfBytes) {
  std::vector<Piece> pieces;
  add(pieces, 4, std::nullopt);
  PlacementOptions options;
  options.bytes_max = 10;
  EXPECT_THAT(place(pieces, std::vector{kW1, kW2}, options).placed, SizeIs(4));
}

}  // namespace placement_speed_test
}  // namespace surety::elastic
