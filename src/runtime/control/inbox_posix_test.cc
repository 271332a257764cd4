#include "runtime/control/inbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/posix/wait_testing.h"

namespace surety::runtime {
namespace inbox_posix_test {

TEST(Inbox, ValuesComeInTheOrderInWhichTheyWerePut) {
  Inbox<int> inbox;
  inbox.put(1);
  inbox.put(2);
  EXPECT_EQ(inbox.take(), 1);
  EXPECT_EQ(inbox.take(), 2);
  EXPECT_EQ(inbox.take(), std::nullopt);
}

TEST(Inbox, NobodyWaitsForAClosedInbox) {
  Inbox<int> inbox;
  inbox.close();
  EXPECT_EQ(inbox.take(std::chrono::hours(1)), std::nullopt);
}

TEST(Inbox, NothingIsLostBetweenThreads) {
  Inbox<int> inbox;
  constexpr int kValues = 2000;
  std::thread first([&] {
    for (int i = 0; i < kValues; ++i) inbox.put(i);
  });
  std::thread second([&] {
    for (int i = 0; i < kValues; ++i) inbox.put(i);
  });
  std::int64_t sum = 0;
  for (int taken = 0; taken < 2 * kValues; ++taken) {
    const auto value = inbox.take(posix::kTestPatience);
    ASSERT_TRUE(value);
    sum += *value;
  }
  first.join();
  second.join();
  EXPECT_EQ(sum, std::int64_t{kValues} * (kValues - 1));
}

}  // namespace inbox_posix_test
}  // namespace surety::runtime
