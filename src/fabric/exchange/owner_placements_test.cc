#include "fabric/exchange/owner_placements.h"

#include <gtest/gtest.h>

#include "fabric/exchange/round_shape.h"

namespace surety::fabric {
namespace owner_placements_test {

constexpr WorkerId kFirst{2};
constexpr WorkerId kSecond{5};

ExchangeOptions options() {
  ExchangeOptions options{
      .workers = {kFirst, kSecond}, .scheduler = kFirst, .elements = 8, .blocks = 2};
  options.owners = {{kFirst, 1}};
  return options;
}

proto::OwnersPlaced placed(std::uint32_t placement, const std::vector<Share>& owners) {
  proto::OwnersPlaced message;
  message.set_placement(placement);
  for (const Share& owner : owners) {
    message.add_workers(owner.worker.value);
    message.add_fractions(owner.fraction);
  }
  return message;
}

TEST(OwnerPlacements, TheOwnersOfEachPlacementAreKept) {
  OwnerPlacements owners(options());
  EXPECT_EQ(owners.find(2), nullptr);
  ASSERT_TRUE(owners.add(placed(2, {{kFirst, 0.25}, {kSecond, 0.75}})));
  ASSERT_TRUE(owners.add(placed(3, {{kSecond, 1}})));
  ASSERT_EQ(owners.find(kFirstPlacement)->size(), 1u);
  EXPECT_EQ(owners.find(kFirstPlacement)->front().worker, kFirst);
  ASSERT_EQ(owners.find(2)->size(), 2u);
  EXPECT_EQ(owners.find(2)->back().fraction, 0.75);
  ASSERT_EQ(owners.find(3)->size(), 1u);
  EXPECT_EQ(owners.find(3)->front().worker, kSecond);
  EXPECT_EQ(owners.find(0), nullptr);
  EXPECT_EQ(owners.find(4), nullptr);
}

TEST(OwnerPlacements, APlacementFollowsTheLastOneAndHasOwnersOfAllParts) {
  OwnerPlacements owners(options());
  const auto gap = owners.add(placed(3, {{kSecond, 1}}));
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().message,
            "exchange: found 1 owners of placement 3, after those of placement 1");
  EXPECT_FALSE(owners.add(placed(1, {{kSecond, 1}})));
  auto unequal = placed(2, {{kSecond, 1}});
  unequal.add_workers(kFirst.value);
  EXPECT_EQ(owners.add(unequal).error().message,
            "exchange: found 2 owners of placement 2, after those of placement 1");
  const auto half = owners.add(placed(2, {{kSecond, 0.5}}));
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(half.error().message, "exchange: the owners' parts do not sum to 1");
  EXPECT_EQ(owners.find(2), nullptr);
  EXPECT_TRUE(owners.add(placed(2, {{kSecond, 1}})));
}

class RoundShapes : public ::testing::Test {
 protected:
  RoundShapes() : owners(options()) {
    EXPECT_TRUE(owners.add(placed(2, {{kSecond, 1}})));
    granted.set_round(4);
    granted.set_block(1);
    granted.set_placement(2);
    granted.add_members(kFirst.value);
    granted.add_members(kSecond.value);
    granted.set_direct(0.5);
    granted.add_hubs(kFirst.value);
    granted.add_fractions(0.5);
    moved.set_round(4);
    moved.set_block(1);
    moved.set_from_placement(1);
    moved.set_placement(2);
  }
  // The error in the grant after round 3.
  [[nodiscard]] std::string error() const {
    const auto shape = shape_of(granted, options(), owners, 3);
    return shape ? "" : shape.error().message;
  }
  OwnerPlacements owners;
  proto::RoundGranted granted;
  proto::BlockMoved moved;
};

TEST_F(RoundShapes, AGrantNamesThePlacementOfItsOwners) {
  granted.set_pull(true);
  granted.add_without(3);
  const auto shape = shape_of(granted, options(), owners, 3);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->kind, RoundKind::kPull);
  EXPECT_EQ(shape->block, 1u);
  ASSERT_EQ(shape->owners.size(), 1u);
  EXPECT_EQ(shape->owners[0].worker, kSecond);
  EXPECT_EQ(shape->members, (std::vector{kFirst, kSecond}));
  EXPECT_EQ(shape->without, std::vector<RoundId>{3});
  EXPECT_EQ(shape->plan.direct, 0.5);
  ASSERT_EQ(shape->plan.shares.size(), 1u);
  EXPECT_EQ(shape->plan.shares[0].worker, kFirst);
  granted.set_placement(3);
  EXPECT_EQ(error(), "exchange: round 4: its owners are unknown");
}

TEST_F(RoundShapes, ARoundThatCannotBeginIsCorrupt) {
  EXPECT_EQ(error(), "");
  granted.set_round(3);
  EXPECT_EQ(error(), "exchange: round 3: it was granted out of order");
  granted.set_round(4);
  granted.set_block(2);
  EXPECT_EQ(error(), "exchange: round 4: its block does not exist");
  granted.set_block(1);
  granted.set_direct(0.4);
  EXPECT_EQ(error(), "exchange: round 4: its shares do not sum to 1");
  granted.set_hubs(0, 3);
  EXPECT_EQ(error(), "exchange: round 4: an aggregator is not a worker");
  granted.add_hubs(kSecond.value);
  EXPECT_EQ(error(), "exchange: round 4: its aggregators are not valid");
  granted.add_members(kFirst.value);
  EXPECT_EQ(error(), "exchange: round 4: its members are not workers in ascending order");
  granted.clear_members();
  EXPECT_EQ(error(), "exchange: round 4: it has no members");
}

TEST_F(RoundShapes, ABlockMovesBetweenTheOwnersOfTwoPlacements) {
  const auto shape = shape_of(moved, options(), owners, 3);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->kind, RoundKind::kMove);
  EXPECT_EQ(shape->owners[0].worker, kFirst);
  EXPECT_EQ(shape->new_owners[0].worker, kSecond);
  const auto late = shape_of(moved, options(), owners, 4);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message,
            "exchange: block 1 cannot move from placement 1 to placement 2 in round 4");
  moved.set_placement(3);
  EXPECT_FALSE(shape_of(moved, options(), owners, 3));
}

}  // namespace owner_placements_test
}  // namespace surety::fabric
