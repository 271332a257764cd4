#include "orchestrator/training/chunk_moves.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace chunk_moves_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};
constexpr WorkerId kThird{3};

// Chunk 0 goes from the first to the second worker, chunk 1 from the second to the third.
elastic::Boundary two_moves() {
  elastic::Boundary boundary;
  boundary.grants = {{.chunk = ChunkId{0}, .version = 1, .to = kSecond, .from = kFirst},
                     {.chunk = ChunkId{1}, .version = 1, .to = kThird, .from = kSecond}};
  return boundary;
}

TEST(ChunkMoves, APrepareIsDueAtFirstAndAfterEachChange) {
  ChunkMoves moves;
  EXPECT_TRUE(moves.is_prepare_due());
  moves.begin_prepare();
  EXPECT_FALSE(moves.is_prepare_due());
  moves.limit_workers(std::nullopt);  // Nothing has changed.
  EXPECT_FALSE(moves.is_prepare_due());
  moves.limit_workers(2);
  EXPECT_TRUE(moves.is_prepare_due());
  moves.begin_prepare();
  moves.lose(kFirst);
  EXPECT_TRUE(moves.is_prepare_due());
}

TEST(ChunkMoves, APrepareThatIssuesGrantsAgainIsFollowedByAnother) {
  ChunkMoves moves;
  moves.begin_prepare();
  moves.grant(two_moves(), 0);
  EXPECT_FALSE(moves.is_prepare_due());
  moves.require_prepare();  // The Prepare became void.
  moves.begin_prepare();
  EXPECT_TRUE(moves.is_prepare_due());
  EXPECT_THAT(moves.confirm(), SizeIs(2));
  moves.begin_prepare();
  EXPECT_FALSE(moves.is_prepare_due());
}

TEST(ChunkMoves, NothingIsDecidedWhileGrantsArePending) {
  ChunkMoves moves;
  moves.grant(two_moves(), 0);
  EXPECT_THAT(moves.pending(), SizeIs(2));
  EXPECT_DEATH(moves.grant(two_moves(), 1), "pending_.empty");
  EXPECT_EQ(moves.confirm(), two_moves().grants);
  EXPECT_THAT(moves.pending(), IsEmpty());
  moves.grant(two_moves(), 1);
  EXPECT_THAT(moves.pending(), SizeIs(2));
}

TEST(ChunkMoves, ALostWorkerNeitherSendsNorReceives) {
  ChunkMoves moves;
  moves.grant(two_moves(), 0);
  moves.lose(kSecond);
  ASSERT_THAT(moves.pending(), SizeIs(1));
  EXPECT_EQ(moves.pending()[0].chunk, ChunkId{1});
  EXPECT_EQ(moves.pending()[0].from, std::nullopt);
}

TEST(ChunkMoves, BalanceIsDecidedAtMostOnceBeforeAnIteration) {
  ChunkMoves moves;
  EXPECT_TRUE(moves.is_balance_due(true, 2, 4));
  EXPECT_FALSE(moves.is_balance_due(false, 2, 4));
  moves.grant({}, 4);
  EXPECT_FALSE(moves.is_balance_due(true, 2, 4));
  EXPECT_TRUE(moves.is_balance_due(true, 2, 5));
}

TEST(ChunkMoves, BalanceIsDueWhileMoreWorkersWorkThanShall) {
  ChunkMoves moves;
  moves.limit_workers(1);
  EXPECT_EQ(moves.working(), 1u);
  elastic::Boundary boundary;
  boundary.resting = {kThird};
  moves.grant(boundary, 0);
  EXPECT_TRUE(moves.rests(kThird));
  EXPECT_FALSE(moves.rests(kSecond));
  EXPECT_TRUE(moves.is_balance_due(false, 3, 1));
  EXPECT_FALSE(moves.is_balance_due(false, 2, 1));
}

}  // namespace chunk_moves_test
}  // namespace surety::orchestrator
