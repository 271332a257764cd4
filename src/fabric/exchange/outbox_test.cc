#include "fabric/exchange/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/exchange/frame.h"

namespace surety::fabric {
namespace outbox_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

proto::ExchangeMessage acknowledged(RoundId round) {
  proto::ExchangeMessage message;
  message.mutable_acknowledged()->set_round(round);
  return message;
}

std::vector<WorkerId> destinations(const Outbox& outbox) {
  std::vector<WorkerId> workers;
  outbox.add_destinations(workers);
  return workers;
}

TEST(Outbox, EachWorkerGetsItsMessagesOnceAndInOrder) {
  Outbox outbox;
  EXPECT_THAT(destinations(outbox), IsEmpty());
  outbox.add(WorkerId{5}, acknowledged(1));
  outbox.add(WorkerId{2}, acknowledged(2));
  outbox.add(WorkerId{5}, acknowledged(3));
  EXPECT_THAT(destinations(outbox), ElementsAre(WorkerId{2}, WorkerId{5}));
  EXPECT_FALSE(outbox.next(WorkerId{3}));
  EXPECT_EQ(outbox.next(WorkerId{5}), encode_control(acknowledged(1)));
  EXPECT_EQ(outbox.next(WorkerId{5}), encode_control(acknowledged(3)));
  EXPECT_FALSE(outbox.next(WorkerId{5}));
  EXPECT_THAT(destinations(outbox), ElementsAre(WorkerId{2}));
  EXPECT_EQ(outbox.next(WorkerId{2}), encode_control(acknowledged(2)));
  EXPECT_THAT(destinations(outbox), IsEmpty());
}

}  // namespace outbox_test
}  // namespace surety::fabric
