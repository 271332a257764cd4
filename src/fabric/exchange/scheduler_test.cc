#include "fabric/exchange/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace exchange_scheduler_test {

using ::testing::HasSubstr;

proto::ExchangeMessage offered(std::uint64_t update) {
  proto::ExchangeMessage message;
  message.mutable_offered()->set_update(update);
  return message;
}

proto::ExchangeMessage acknowledged(RoundId round) {
  proto::ExchangeMessage message;
  message.mutable_acknowledged()->set_round(round);
  return message;
}

// A worker that retired while it waits would never get a model, and all others would wait for it.
TEST(ExchangeScheduler, AWorkerThatRetiresOrPushesAgainBeforeItHasTheModelIsCorrupt) {
  const WorkerId owner{2};
  const WorkerId liar{5};
  const ExchangeOptions options{.workers = {owner, liar},
                                .scheduler = owner,
                                .owners = {{owner, 1}},
                                .elements = 8,
                                .blocks = 1,
                                .quorum = {.batch = 2},
                                .nominal = {1e6, 1e6}};
  ASSERT_TRUE(check(options));
  proto::ExchangeMessage retired;
  retired.mutable_retired();
  ExchangeScheduler scheduler(options, Time{});
  const auto expect_refused = [&] {
    for (const auto& message : {retired, offered(2)}) {
      const auto taken = scheduler.receive(Time{}, liar, message);
      ASSERT_FALSE(taken);
      EXPECT_EQ(taken.error().code, ErrorCode::kCorrupt);
      EXPECT_THAT(taken.error().message, HasSubstr("worker 5"));
    }
  };
  ASSERT_TRUE(scheduler.receive(Time{}, liar, offered(1)));
  expect_refused();  // Its update is open.
  ASSERT_TRUE(scheduler.receive(Time{}, owner, acknowledged(1)));
  expect_refused();  // It waits for the other worker.
  ASSERT_TRUE(scheduler.receive(Time{}, owner, offered(1)));
  ASSERT_TRUE(scheduler.receive(Time{}, owner, acknowledged(2)));
  expect_refused();  // Its pull is under way.
  ASSERT_TRUE(scheduler.receive(Time{}, liar, acknowledged(3)));
  EXPECT_TRUE(scheduler.receive(Time{}, liar, retired));
}

}  // namespace exchange_scheduler_test
}  // namespace surety::fabric
