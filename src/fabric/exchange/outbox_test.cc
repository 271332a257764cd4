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

std::vector<HostId> destinations(const Outbox& outbox) {
  std::vector<HostId> hosts;
  outbox.add_destinations(hosts);
  return hosts;
}

TEST(Outbox, EachHostGetsItsMessagesOnceAndInOrder) {
  Outbox outbox;
  EXPECT_THAT(destinations(outbox), IsEmpty());
  outbox.add(HostId{5}, heard(1));
  outbox.add(HostId{2}, heard(2));
  outbox.add(HostId{5}, heard(3));
  EXPECT_THAT(destinations(outbox), ElementsAre(HostId{2}, HostId{5}));
  EXPECT_FALSE(outbox.next(HostId{3}));
  EXPECT_EQ(outbox.next(HostId{5}), encode_control(heard(1)));
  EXPECT_EQ(outbox.next(HostId{5}), encode_control(heard(3)));
  EXPECT_FALSE(outbox.next(HostId{5}));
  EXPECT_THAT(destinations(outbox), ElementsAre(HostId{2}));
  EXPECT_EQ(outbox.next(HostId{2}), encode_control(heard(2)));
  EXPECT_THAT(destinations(outbox), IsEmpty());
}

}  // namespace outbox_test
}  // namespace surety::fabric
