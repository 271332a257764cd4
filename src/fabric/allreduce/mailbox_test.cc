#include "fabric/allreduce/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace mailbox_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kOverhead = Mailbox::kOverhead;
constexpr std::uint64_t kRoom = 100 + 10 * kOverhead;

Received message(std::uint64_t round, std::uint32_t step, std::size_t bytes) {
  return {.peer = 1, .tag = {.round = round, .step = step}, .bytes = std::vector<std::byte>(bytes)};
}

std::vector<std::uint32_t> steps_of(const std::vector<Received>& messages) {
  std::vector<std::uint32_t> steps;
  for (const Received& each : messages) steps.push_back(each.tag.step);
  return steps;
}

TEST(Mailbox, MessagesOfARoundAreTakenOnceInTheOrderInWhichTheyCame) {
  Mailbox mailbox(kRoom);
  mailbox.add(message(5, 3, 10));
  mailbox.add(message(6, 1, 20));
  mailbox.add(message(5, 2, 30));
  EXPECT_EQ(mailbox.bytes(), 60 + 3 * kOverhead);
  EXPECT_THAT(steps_of(mailbox.take_round(5)), ElementsAre(3, 2));
  EXPECT_EQ(mailbox.bytes(), 20 + kOverhead);
  EXPECT_THAT(mailbox.take_round(5), IsEmpty());
  EXPECT_THAT(steps_of(mailbox.take_round(6)), ElementsAre(1));
  EXPECT_EQ(mailbox.bytes(), 0u);
}

TEST(Mailbox, WhatIsOlderThanARoundIsDropped) {
  Mailbox mailbox(kRoom);
  for (const std::uint64_t round : {4, 5, 6}) {
    mailbox.add(message(round, 0, 1));
    ASSERT_TRUE(mailbox.add_blob({.round = round}, std::vector<std::byte>(10)));
  }
  mailbox.drop_rounds_before(6);
  EXPECT_EQ(mailbox.bytes(), 31 + 4 * kOverhead);
  EXPECT_THAT(mailbox.take_round(5), IsEmpty());
  EXPECT_THAT(mailbox.take_round(6), SizeIs(1));
  mailbox.drop_blobs_before(6);
  EXPECT_EQ(mailbox.bytes(), 10 + kOverhead);
  EXPECT_FALSE(mailbox.take_blob({.round = 5}));
  EXPECT_TRUE(mailbox.take_blob({.round = 6}));
}

TEST(Mailbox, MessagesAndBlobsShareTheRoom) {
  Mailbox mailbox(100 + 3 * kOverhead);
  EXPECT_TRUE(mailbox.has_room_for(100 + 2 * kOverhead));
  EXPECT_FALSE(mailbox.has_room_for(101 + 2 * kOverhead));
  mailbox.add(message(5, 0, 30));
  ASSERT_TRUE(mailbox.add_blob({.round = 5}, std::vector<std::byte>(50)));
  EXPECT_TRUE(mailbox.has_room_for(20));
  EXPECT_FALSE(mailbox.has_room_for(21));
}

TEST(Mailbox, EmptyMessagesNeedRoomToo) {
  Mailbox mailbox(3 * kOverhead - 1);
  for (std::uint32_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(mailbox.has_room_for(0));
    mailbox.add(message(5, i, 0));
  }
  EXPECT_FALSE(mailbox.has_room_for(0));
  EXPECT_FALSE(mailbox.has_room_for(~std::uint64_t{0}));
  EXPECT_THAT(mailbox.take_round(5), SizeIs(2));
  EXPECT_EQ(mailbox.bytes(), 0u);
}

TEST(Mailbox, ABlobIsKeptAndTakenOnce) {
  Mailbox mailbox(kRoom);
  const Tag tag{.round = 5, .sender = 2, .step = 1};
  ASSERT_TRUE(mailbox.add_blob(tag, std::vector<std::byte>(10)));
  EXPECT_FALSE(mailbox.add_blob(tag, std::vector<std::byte>(20)));
  EXPECT_EQ(mailbox.bytes(), 10 + kOverhead);
  EXPECT_FALSE(mailbox.take_blob({.round = 5, .sender = 2, .step = 2}));
  const auto blob = mailbox.take_blob(tag);
  ASSERT_TRUE(blob);
  EXPECT_THAT(*blob, SizeIs(10));
  EXPECT_EQ(mailbox.bytes(), 0u);
  EXPECT_FALSE(mailbox.take_blob(tag));
}

TEST(Mailbox, BlobsOfOneRoundComeBySenderThenStep) {
  Mailbox mailbox(kRoom);
  const Tag first{.round = 5, .sender = 1, .step = 9};
  const Tag second{.round = 5, .sender = 2, .step = 3};
  const Tag third{.round = 5, .sender = 2, .step = 4};
  for (const Tag& tag : {third, Tag{.round = 6}, first, Tag{.round = 4}, second}) {
    ASSERT_TRUE(mailbox.add_blob(tag, std::vector<std::byte>(1)));
  }
  std::vector<Tag> tags;
  for (const auto& [tag, bytes] : mailbox.take_blobs(5)) tags.push_back(tag);
  EXPECT_THAT(tags, ElementsAre(first, second, third));
  EXPECT_EQ(mailbox.bytes(), 2 + 2 * kOverhead);
  EXPECT_THAT(mailbox.take_blobs(5), IsEmpty());
}

}  // namespace mailbox_test
}  // namespace surety::fabric
