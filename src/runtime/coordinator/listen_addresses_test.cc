#include "runtime/coordinator/listen_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace surety::runtime {
namespace listen_addresses_test {

using ::testing::ElementsAre;

constexpr const char* kWanted = "10.0.0.1:7000";
constexpr const char* kLast = "10.0.0.1:41234";
constexpr const char* kUnix = "unix:/tmp/surety-1a2b3c/control";

std::vector<std::string> texts_of(const ListenWish& wish) {
  std::vector<std::string> texts;
  for (const ListenAddress& one : listen_addresses(wish)) {
    texts.push_back(one.address.value_or("new"));
  }
  return texts;
}

TEST(ListenAddresses, TheFirstCoordinatorListensWhereItIsToldOrAtANewUnixSocket) {
  EXPECT_THAT(texts_of({.wanted = kWanted}), ElementsAre(kWanted));
  EXPECT_THAT(texts_of({}), ElementsAre("new"));
  EXPECT_FALSE(listen_addresses({}).front().remaining_call_here);
}

TEST(ListenAddresses, TheLastAddressComesFirstAndItsPortIsAwaited) {
  EXPECT_THAT(texts_of({.last = kLast}), ElementsAre(kLast, "new"));
  EXPECT_THAT(texts_of({.wanted = kWanted, .last = kLast}), ElementsAre(kLast, kWanted));
  const std::vector<ListenAddress> addresses = listen_addresses({.last = kLast});
  EXPECT_GT(addresses[0].patience, Duration::zero());
  EXPECT_TRUE(addresses[0].remaining_call_here);
  EXPECT_EQ(addresses[1].patience, Duration::zero());
  EXPECT_FALSE(addresses[1].remaining_call_here);
}

TEST(ListenAddresses, AUnixSocketIsTakenAgainAtOnceUnlessOtherMachinesAreToJoin) {
  EXPECT_THAT(texts_of({.last = kUnix}), ElementsAre(kUnix, "new"));
  EXPECT_EQ(listen_addresses({.last = kUnix}).front().patience, Duration::zero());
  EXPECT_TRUE(listen_addresses({.last = kUnix}).front().remaining_call_here);
  EXPECT_THAT(texts_of({.wanted = kWanted, .last = kUnix}), ElementsAre(kWanted));
}

TEST(ListenAddresses, IfOthersMayLeadAnyPortWillDoAndNoneIsAwaited) {
  const ListenWish wish{.wanted = kWanted, .last = kLast, .others_may_lead = true};
  EXPECT_THAT(texts_of(wish), ElementsAre(kLast, kWanted, "10.0.0.1:0"));
  for (const ListenAddress& one : listen_addresses(wish)) {
    EXPECT_EQ(one.patience, Duration::zero());
    EXPECT_FALSE(one.remaining_call_here);
  }
}

TEST(ListenAddresses, IfOthersMayLeadItIsNeverANewUnixSocket) {
  EXPECT_THAT(texts_of({.others_may_lead = true}), ElementsAre("127.0.0.1:0", "127.0.0.1:0"));
}

TEST(ListenAddresses, WorkersThatWereLeftFindTheLastAddressOrTheFolder) {
  EXPECT_TRUE(remaining_find({.last = kLast}, kLast));
  EXPECT_FALSE(remaining_find({.last = kLast}, kWanted));
  EXPECT_FALSE(remaining_find({}, kWanted));
  EXPECT_TRUE(remaining_find({.last = kLast, .others_may_lead = true}, kWanted));
}

}  // namespace listen_addresses_test
}  // namespace surety::runtime
