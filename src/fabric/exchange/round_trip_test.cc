#include "fabric/exchange/round_trip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace surety::fabric {
namespace round_trip_test {

using ::testing::SizeIs;

constexpr WorkerId kSelf{1};

// Six values in two blocks.
ExchangeOptions options() {
  ExchangeOptions options{.workers = {kSelf}, .scheduler = kSelf, .elements = 6, .blocks = 2};
  options.owners = {{kSelf, 1}};
  return options;
}

RoundShape round_of(RoundKind kind, std::uint32_t block) {
  return {.round = 7, .kind = kind, .block = block, .members = {kSelf}};
}

// Pulls all blocks, each value as `value`.
void pull_all(RoundTrip& trip, float value) {
  for (const std::uint32_t block : {0u, 1u}) {
    ASSERT_TRUE(trip.join(round_of(RoundKind::kPull, block)));
    trip.add_pulled(block);
  }
  trip.pulling()->assign(6, value);
  trip.end_pull();
}

TEST(RoundTrip, ABlockOfAnUpdateIsGrantedOrDroppedOnce) {
  RoundTrip trip(options());
  ASSERT_FALSE(trip.join(round_of(RoundKind::kPush, 0)));  // There is no update yet.
  ASSERT_EQ(trip.begin(std::vector<float>(6, 1)).value(), 1u);
  ASSERT_TRUE(trip.join(round_of(RoundKind::kPush, 0)));
  const auto again = trip.join(round_of(RoundKind::kPush, 0));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "exchange: round 7: this worker has no block 0 to push");

  const auto granted = trip.drop(1, block_bit(0) | block_bit(1));
  ASSERT_FALSE(granted);
  EXPECT_EQ(granted.error().message, "exchange: blocks 0x3 of update 1 cannot be dropped");
  EXPECT_FALSE(trip.drop(2, block_bit(1)));
  ASSERT_TRUE(trip.drop(1, block_bit(1)));
  EXPECT_FALSE(trip.drop(1, block_bit(1)));
  EXPECT_FALSE(trip.join(round_of(RoundKind::kPush, 1)));
}

TEST(RoundTrip, AModelIsThereWhenAllOfItsBlocksAre) {
  RoundTrip trip(options());
  ASSERT_TRUE(trip.begin(std::vector<float>(6, 1)));
  ASSERT_TRUE(trip.drop(1, block_bit(1)));
  trip.add_pulled(1);
  trip.end_pull();
  EXPECT_FALSE(trip.take_pulled());
  EXPECT_EQ(trip.pulls(), 0u);
  const auto twice = trip.join(round_of(RoundKind::kPull, 1));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "exchange: round 7: this worker does not wait for block 1");

  trip.pulling()->assign(6, 5);
  trip.add_pulled(0);
  EXPECT_NE(trip.update(), nullptr);
  trip.end_pull();
  EXPECT_EQ(trip.update(), nullptr);
  EXPECT_EQ(trip.pulls(), 1u);
  const auto pulled = trip.take_pulled();
  ASSERT_TRUE(pulled);
  EXPECT_EQ(pulled->model, std::vector<float>(6, 5));
  ASSERT_THAT(pulled->dropped, SizeIs(1));
  EXPECT_EQ(pulled->dropped[0].first, 3u);
  EXPECT_EQ(pulled->dropped[0].count, 3u);
  EXPECT_FALSE(trip.take_pulled());
}

TEST(RoundTrip, IsIdleOnlyOnceTheModelIsTaken) {
  RoundTrip trip(options());
  EXPECT_TRUE(trip.idle());
  ASSERT_TRUE(trip.begin(std::vector<float>(6, 1)));
  EXPECT_FALSE(trip.idle());
  pull_all(trip, 2);
  EXPECT_FALSE(trip.idle());
  EXPECT_EQ(trip.take_pulled()->dropped, std::vector<Slice>{});
  EXPECT_TRUE(trip.idle());
}

// A later pull must not change a model that was returned.
TEST(RoundTrip, EachModelHasAVectorOfItsOwn) {
  RoundTrip trip(options());
  ASSERT_TRUE(trip.begin(std::vector<float>(6, 1)));
  const auto before = trip.pulling();
  pull_all(trip, 2);
  EXPECT_NE(trip.pulling(), before);
  EXPECT_THAT(*trip.pulling(), SizeIs(6));
}

TEST(RoundTrip, ItIsOverWhenTheEndIsConfirmedAndTheLastModelIsHere) {
  for (const bool confirmed_first : {true, false}) {
    RoundTrip trip(options());
    ASSERT_TRUE(trip.begin(std::vector<float>(6, 1)));
    pull_all(trip, 2);
    ASSERT_TRUE(trip.take_pulled());
    EXPECT_FALSE(
        trip.join(round_of(RoundKind::kPull, 0)));  // The worker does not wait for a model.
    trip.retire();
    if (confirmed_first) trip.confirm_end();
    EXPECT_FALSE(trip.is_over());
    pull_all(trip, 3);
    EXPECT_EQ(trip.is_over(), confirmed_first);
    trip.confirm_end();
    EXPECT_TRUE(trip.is_over());
    EXPECT_FALSE(trip.take_pulled());
    EXPECT_EQ(trip.take_last_model(), std::vector<float>(6, 3));
  }
}

TEST(RoundTrip, AnUpdateThatIsNotFiniteDoesNotBegin) {
  RoundTrip trip(options());
  const auto begun = trip.begin(std::vector<float>(6, std::numeric_limits<float>::infinity()));
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ErrorCode::kDiverged);
  EXPECT_TRUE(trip.idle());
  // The failed call has not used a number.
  EXPECT_EQ(trip.begin(std::vector<float>(6, 1)).value(), 1u);
}

}  // namespace round_trip_test
}  // namespace surety::fabric
