#include "elastic/ownership/shuffle.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace surety::elastic {
namespace shuffle_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};

std::vector<Piece> dealt(std::uint32_t count, std::uint32_t workers) {
  std::vector<Piece> pieces;
  for (std::uint32_t i = 0; i < count; ++i) {
    pieces.push_back({.chunk = ChunkId{i},
                      .samples = 10,
                      .left = 10,
                      .bytes = 100,
                      .at = WorkerId{i % workers + 1}});
  }
  return pieces;
}

TEST(Shuffle, AShareOfTheChunksMovesInPairs) {
  const auto pieces = dealt(100, 4);
  EXPECT_THAT(shuffle_chunks(pieces, {.share = 0.05}, Random(1)).moves, SizeIs(4));
  EXPECT_THAT(shuffle_chunks(pieces, {.share = 0.10}, Random(1)).moves, SizeIs(10));
}

TEST(Shuffle, OnePairAtLeast) {
  EXPECT_THAT(shuffle_chunks(dealt(4, 2), {.share = 0.01}, Random(1)).moves, SizeIs(2));
}

TEST(Shuffle, ASingleWorkerCannotExchangeChunks) {
  EXPECT_THAT(shuffle_chunks(dealt(40, 1), {.share = 0.5}, Random(1)).moves, IsEmpty());
}

TEST(Shuffle, NumbersOfChunksStayAndNoneMovesTwiceOrToItsOwnWorker) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto pieces = dealt(60, 5);
    std::map<WorkerId, int> change;
    std::set<ChunkId> moved;
    for (const Placed& move : shuffle_chunks(pieces, {.share = 0.3}, Random(seed)).moves) {
      const Piece& piece = pieces[move.chunk.value];
      EXPECT_NE(piece.at, move.to);
      EXPECT_TRUE(moved.insert(move.chunk).second);
      ++change[move.to];
      --change[*piece.at];
    }
    for (const auto& [worker, by] : change) EXPECT_EQ(by, 0) << "seed " << seed;
  }
}

TEST(Shuffle, OfSeveralPartnersTheOneMostAlikeIsTaken) {
  // Chunk 0 is alone at worker 1; one chunk at worker 2 has the same size.
  std::vector<Piece> pieces = dealt(4, 1);
  for (Piece& piece : pieces) piece.at = kW2;
  pieces[0].at = kW1;
  pieces[1].samples = pieces[1].left = 500;
  pieces[2].samples = pieces[2].left = 300;
  int alike = 0;
  int swaps = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto moves = shuffle_chunks(pieces, {.share = 0.1}, Random(seed)).moves;
    if (moves.empty() || moves[0].chunk != ChunkId{0}) continue;
    ++swaps;
    alike += moves[1].chunk == ChunkId{3} ? 1 : 0;
  }
  EXPECT_GT(swaps, 10);
  // In a tenth of the cases, none of eight draws from four chunks is that chunk.
  EXPECT_GT(alike, 0.8 * swaps);
}

TEST(Shuffle, NoMoreBytesAreSentThanTheBudget) {
  EXPECT_THAT(shuffle_chunks(dealt(40, 2), {.share = 1, .bytes_max = 99}, Random(1)).moves,
              IsEmpty());
  EXPECT_THAT(shuffle_chunks(dealt(40, 2), {.share = 1, .bytes_max = 250}, Random(1)).moves,
              SizeIs(4));
}

TEST(Shuffle, AfterManyPassesEveryChunkWasAtEveryWorker) {
  auto pieces = dealt(40, 4);
  std::vector<std::set<WorkerId>> been(pieces.size());
  for (std::uint64_t i = 0; i < 1500; ++i) {
    for (const Placed& move : shuffle_chunks(pieces, {.share = 0.05}, Random(i)).moves) {
      pieces[move.chunk.value].at = move.to;
      been[move.chunk.value].insert(move.to);
    }
  }
  for (const auto& workers : been) EXPECT_THAT(workers, SizeIs(4));
}

}  // namespace shuffle_test
}  // namespace surety::elastic
