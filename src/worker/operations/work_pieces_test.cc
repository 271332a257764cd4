#include "worker/operations/work_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::worker {
namespace work_pieces_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Item = learn::WorkItem;

TEST(WorkPieces, APieceHasTheSamplesOfItsStepsAndMayCutItems) {
  WorkPieces pieces({{ChunkId{1}, 10, 7}, {ChunkId{2}, 0, 6}}, {.steps = 2, .batch = 4});
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{1}, 10, 7}, Item{ChunkId{2}, 0, 1}));
  EXPECT_FALSE(pieces.is_empty());
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{2}, 1, 5}));
  EXPECT_TRUE(pieces.is_empty());
}

TEST(WorkPieces, OneItemMayFillManyPieces) {
  WorkPieces pieces({{ChunkId{1}, 0, 10}}, {.steps = 1, .batch = 4});
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{1}, 0, 4}));
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{1}, 4, 4}));
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{1}, 8, 2}));
  EXPECT_THAT(pieces.take(), IsEmpty());
}

TEST(WorkPieces, WithoutABatchNoItemIsCut) {
  WorkPieces pieces({{ChunkId{1}, 0, 5}, {ChunkId{2}, 0, 5}, {ChunkId{3}, 0, 5}}, {.steps = 6});
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{1}, 0, 5}, Item{ChunkId{2}, 0, 5}));
  EXPECT_THAT(pieces.take(), ElementsAre(Item{ChunkId{3}, 0, 5}));
}

TEST(WorkPieces, AStepThatWasBegunCounts) {
  const WorkPieces batches({}, {.steps = 1, .batch = 4});
  EXPECT_EQ(batches.steps_of(0), 0u);
  EXPECT_EQ(batches.steps_of(4), 1u);
  EXPECT_EQ(batches.steps_of(5), 2u);
  const WorkPieces samples({}, {.steps = 1});
  EXPECT_EQ(samples.steps_of(5), 5u);
}

}  // namespace work_pieces_test
}  // namespace surety::worker
