#include "fabric/exchange/round_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace surety::fabric {
namespace round_table_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WorkerId kOther{2};
constexpr WorkerId kSelf{5};
constexpr std::uint64_t kElements = 8;

ExchangeOptions options() {
  ExchangeOptions options{.workers = {kOther, kSelf}, .scheduler = kOther, .elements = kElements};
  options.owners = {{kSelf, 1}};
  return options;
}

// A round of the only block, which belongs to us.
RoundShape shape(RoundId round, RoundKind kind, WorkerId member, std::uint32_t speed_class = 1) {
  return {.round = round,
          .kind = kind,
          .speed_class = speed_class,
          .owners = {{kSelf, 1}},
          .members = {member}};
}

// The block moves from the other worker to us.
RoundShape move_to_us(RoundId round) {
  return {.round = round,
          .kind = RoundKind::kMove,
          .owners = {{kOther, 1}},
          .new_owners = {{kSelf, 1}}};
}

// All values of the block, from the other worker.
DataPiece data(RoundId round, float value, TransferKind kind = TransferKind::kContribution) {
  const std::vector<float> values(kElements, value);
  DataPiece piece{.from = kOther, .address = {.round = round, .step = {.kind = kind}}};
  piece.values.resize(kElements * sizeof(float));
  std::memcpy(piece.values.data(), values.data(), piece.values.size());
  return piece;
}

class RoundTableOfAnOwner : public ::testing::Test {
 protected:
  void begin(const RoundShape& round) {
    ASSERT_TRUE(table.begin(round, std::make_shared<std::vector<float>>(kElements, 1.0f),
                            std::make_shared<std::vector<float>>(kElements)));
  }
  // Ends all rounds that can end, and returns them.
  std::vector<RoundId> finish() {
    std::vector<RoundId> rounds;
    finished.clear();
    for (auto next = table.finish_next(model); *next; next = table.finish_next(model)) {
      rounds.push_back((*next)->round);
      finished.push_back(**next);
    }
    return rounds;
  }
  // The value that is sent to the other worker; nothing is sent if it is absent.
  std::optional<float> sent() {
    const auto send = table.next_send(kOther);
    if (!send) return std::nullopt;
    float value = 0;
    std::memcpy(&value, send->bytes.data() + send->bytes.size() - sizeof(float), sizeof(float));
    return value;
  }
  RoundTable table{options(), kSelf};
  std::vector<float> model = std::vector<float>(kElements, 1);
  std::vector<RoundTable::Finished> finished;
};

TEST_F(RoundTableOfAnOwner, DataThatComesEarlyWaitsForItsRound) {
  EXPECT_FALSE(table.receive(data(1, 10)).value());  // Round 1 is never granted to this worker.
  EXPECT_FALSE(table.receive(data(3, 5)).value());
  begin(shape(2, RoundKind::kPush, kOther));
  EXPECT_THAT(finish(), IsEmpty());
  begin(shape(3, RoundKind::kPush, kOther));
  EXPECT_THAT(finish(), ElementsAre(3));
  EXPECT_THAT(model, Each(6));
}

TEST_F(RoundTableOfAnOwner, OnlySoMuchDataMayComeEarly) {
  // Two workers and one block: at most 17 blocks, each counted with one value more.
  for (RoundId round = 1; round <= 19; ++round) ASSERT_TRUE(table.receive(data(round, 1)));
  const auto more = table.receive(data(20, 1));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message,
            "exchange: 640 bytes arrived before they were granted, the last of them from worker 2");
}

TEST_F(RoundTableOfAnOwner, DataOfEarlyRoundsCountsOnlyUntilTheyBegin) {
  for (RoundId round = 1; round <= 40; ++round) {
    ASSERT_TRUE(table.receive(data(round, 1)));
    if (round % 2 == 0) begin(shape(round, RoundKind::kPush, kOther));
  }
}

TEST_F(RoundTableOfAnOwner, DataThatNoRoundExpectsIsIgnored) {
  begin(shape(2, RoundKind::kPush, kOther));
  EXPECT_FALSE(table.receive(data(1, 1)).value());
  EXPECT_TRUE(table.receive(data(2, 1)).value());
  EXPECT_TRUE(table.receive(data(2, 1)).value());
  EXPECT_THAT(finish(), ElementsAre(2));
  EXPECT_THAT(model, Each(2));
  EXPECT_TRUE(table.empty());
  EXPECT_FALSE(table.receive(data(2, 1)).value());
}

TEST_F(RoundTableOfAnOwner, APullReadsTheBlockAfterEarlierPushes) {
  begin(shape(1, RoundKind::kPush, kOther));
  begin(shape(2, RoundKind::kPull, kOther));
  EXPECT_THAT(finish(), IsEmpty());
  EXPECT_EQ(sent(), std::nullopt);
  ASSERT_TRUE(table.receive(data(1, 5)));
  EXPECT_THAT(finish(), ElementsAre(1));
  EXPECT_EQ(sent(), 6);
  EXPECT_THAT(finish(), ElementsAre(2));
}

TEST_F(RoundTableOfAnOwner, APullDoesNotWaitForPushesThatItGoesWithout) {
  begin(shape(1, RoundKind::kPush, kOther));
  RoundShape pull = shape(2, RoundKind::kPull, kOther);
  pull.without = {1};
  begin(pull);
  EXPECT_THAT(finish(), IsEmpty());
  const auto send = table.next_send(kOther);
  ASSERT_TRUE(send);
  EXPECT_TRUE(send->finishes);
  EXPECT_THAT(finish(), ElementsAre(2));
  EXPECT_THAT(model, Each(1));
}

TEST_F(RoundTableOfAnOwner, APushIsAddedToABlockThatHasMovedHere) {
  begin(move_to_us(1));
  begin(shape(2, RoundKind::kPush, kOther));
  ASSERT_TRUE(table.receive(data(2, 5)));
  EXPECT_THAT(finish(), IsEmpty());
  ASSERT_TRUE(table.receive(data(1, 20, TransferKind::kResult)));
  EXPECT_THAT(finish(), ElementsAre(1, 2));
  EXPECT_THAT(model, Each(25));
}

TEST_F(RoundTableOfAnOwner, ARoundIsAcknowledgedOnce) {
  begin(shape(1, RoundKind::kPush, kOther, 0));
  EXPECT_THAT(table.acknowledge_early(), ElementsAre(1));
  EXPECT_THAT(table.acknowledge_early(), IsEmpty());
  begin(shape(2, RoundKind::kPush, kOther, 1));
  EXPECT_THAT(table.acknowledge_early(), IsEmpty());
  ASSERT_TRUE(table.receive(data(1, 1)));
  ASSERT_TRUE(table.receive(data(2, 1)));
  EXPECT_THAT(finish(), ElementsAre(1, 2));
  EXPECT_FALSE(finished[0].acknowledge);
  EXPECT_TRUE(finished[1].acknowledge);
}

TEST_F(RoundTableOfAnOwner, TheOldestFastRoundInEachDirectionIsAcknowledgedEarly) {
  begin(move_to_us(1));  // No other round can end before this one.
  begin(shape(2, RoundKind::kPush, kOther, 0));
  begin(shape(3, RoundKind::kPush, kOther, 0));
  begin(shape(4, RoundKind::kPull, kOther, 0));  // We do not receive it.
  begin(shape(5, RoundKind::kPull, kSelf, 1));
  begin(shape(6, RoundKind::kPull, kSelf, 0));
  EXPECT_THAT(table.acknowledge_early(), ElementsAre(2, 6));
}

TEST_F(RoundTableOfAnOwner, OnlyAPullOfOurOwnGivesUsABlock) {
  begin(shape(1, RoundKind::kPull, kOther));
  begin(shape(2, RoundKind::kPull, kSelf));
  EXPECT_THAT(finish(), ElementsAre(2));
  EXPECT_EQ(finished[0].pulled, 0u);
  EXPECT_TRUE(finished[0].acknowledge);
  ASSERT_TRUE(sent());
  EXPECT_THAT(finish(), ElementsAre(1));
  EXPECT_EQ(finished[0].pulled, std::nullopt);
  EXPECT_FALSE(finished[0].acknowledge);
}

TEST_F(RoundTableOfAnOwner, FastRoundsAreSentBeforeSlowOnes) {
  begin(shape(1, RoundKind::kPull, kOther, 2));
  begin(shape(2, RoundKind::kPull, kOther, 0));
  EXPECT_THAT(finish(), IsEmpty());
  std::vector<int> rounds;
  while (const auto send = table.next_send(kOther)) {
    rounds.push_back(static_cast<int>(send->bytes[1]));
  }
  EXPECT_THAT(rounds, ElementsAre(2, 1));
}

TEST_F(RoundTableOfAnOwner, AModelThatIsNotFiniteIsNotRead) {
  model[3] = std::numeric_limits<float>::infinity();
  begin(shape(1, RoundKind::kPull, kOther));
  const auto next = table.finish_next(model);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kCorrupt);
}

}  // namespace round_table_test
}  // namespace surety::fabric
