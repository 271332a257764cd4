#include "sim/process/exchange_inbox.h"

#include <gtest/gtest.h>

#include <string>

namespace surety::sim {
namespace exchange_inbox_test {

// A message of worker `from` arrives. Returns whether it is passed on now.
bool comes(ExchangeInbox& inbox, std::uint64_t exchange, std::uint32_t from) {
  std::vector<std::byte> bytes{std::byte(from)};
  return inbox.take_if_due(exchange, WorkerId{from}, bytes);
}

std::string early(ExchangeInbox& inbox, std::uint64_t exchange) {
  std::string senders;
  for (const auto& [from, bytes] : inbox.take_early(exchange)) {
    EXPECT_EQ(bytes, std::vector<std::byte>{std::byte(from.value)});
    senders += std::to_string(from.value);
  }
  return senders;
}

TEST(ExchangeInbox, MessagesThatCameBeforeTheProcessJoinedAreFirst) {
  ExchangeInbox inbox;
  EXPECT_FALSE(comes(inbox, 5, 1));
  EXPECT_TRUE(inbox.join(5));
  EXPECT_FALSE(comes(inbox, 5, 2));  // It is not passed on before the first one.
  EXPECT_EQ(early(inbox, 5), "12");
  EXPECT_TRUE(comes(inbox, 5, 3));
  EXPECT_EQ(early(inbox, 5), "");
}

TEST(ExchangeInbox, WithoutEarlyMessagesEachIsPassedOnAtOnce) {
  ExchangeInbox inbox;
  EXPECT_FALSE(inbox.join(5));
  EXPECT_TRUE(inbox.is_in(5));
  EXPECT_TRUE(comes(inbox, 5, 1));
}

TEST(ExchangeInbox, MessagesOfExchangesThatAreOverAreDropped) {
  ExchangeInbox inbox;
  EXPECT_FALSE(inbox.join(5));
  EXPECT_FALSE(comes(inbox, 6, 1));
  EXPECT_FALSE(comes(inbox, 7, 2));
  inbox.leave();
  EXPECT_FALSE(inbox.is_in_one());
  EXPECT_FALSE(comes(inbox, 5, 3));
  EXPECT_FALSE(comes(inbox, 4, 3));
  EXPECT_TRUE(inbox.join(7));
  EXPECT_EQ(early(inbox, 7), "2");
  for (const std::uint64_t over : {4u, 5u, 6u}) EXPECT_EQ(early(inbox, over), "") << over;
}

}  // namespace exchange_inbox_test
}  // namespace surety::sim
