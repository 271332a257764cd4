#include "fabric/exchange/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/exchange/frame.h"

namespace surety::fabric {
namespace outbox_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

proto::ExchangeMessage heard(RoundId round) {
  proto::ExchangeMessage message;
  message.mutable_heard()->set_round(round);
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
  outbox.add(WorkerId{5}, heard(1));
  outbox.add(WorkerId{2}, heard(2));
  outbox.add(WorkerId{5}, heard(3));
  EXPECT_THAT(destinations(outbox), ElementsAre(WorkerId{2}, WorkerId{5}));
  EXPECT_FALSE(outbox.next(WorkerId{3}));
  EXPECT_EQ(outbox.next(WorkerId{5}), encode_control(heard(1)));
  EXPECT_EQ(outbox.next(WorkerId{5}), encode_control(heard(3)));
  EXPECT_FALSE(outbox.next(WorkerId{5}));
  EXPECT_THAT(destinations(outbox), ElementsAre(WorkerId{2}));
  EXPECT_EQ(outbox.next(WorkerId{2}), encode_control(heard(2)));
  EXPECT_THAT(destinations(outbox), IsEmpty());
}

}  // namespace outbox_test
}  // namespace surety::fabric
