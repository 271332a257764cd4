// The acknowledgements of a worker and their order, and the state of an exchange after a round has
// failed. One of two workers is tested, with messages of the other one, which is the scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fabric/exchange/exchange.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {
namespace exchange_acknowledgements_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr WorkerId kOther{2};
constexpr WorkerId kSelf{5};
constexpr std::uint64_t kElements = 8;
constexpr bool kResult = true;
constexpr bool kContribution = false;

ExchangeOptions options() {
  ExchangeOptions options{.workers = {kOther, kSelf}, .scheduler = kOther, .elements = kElements};
  options.owners = {{kOther, 0.5}, {kSelf, 0.5}};
  options.nominal = {1e6, 1e6};
  return options;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> control(const proto::ExchangeMessage& message) {
  return bytes_of("C" + message.SerializeAsString());
}

struct Granted {
  RoundId round;
  bool pull;
  WorkerId member;
  std::uint32_t speed_class;
};
std::vector<std::byte> granted(const Granted& of) {
  proto::ExchangeMessage message;
  message.mutable_granted()->set_round(of.round);
  message.mutable_granted()->set_pull(of.pull);
  message.mutable_granted()->add_members(of.member.value);
  message.mutable_granted()->set_direct(1);
  message.mutable_granted()->set_speed_class(of.speed_class);
  message.mutable_granted()->set_placement(2);
  return control(message);
}

// From placement 2 on, we own everything.
std::vector<std::byte> placed() {
  proto::ExchangeMessage message;
  message.mutable_placed()->set_placement(2);
  message.mutable_placed()->add_workers(kSelf.value);
  message.mutable_placed()->add_fractions(1);
  return control(message);
}

std::vector<std::byte> moved(RoundId round) {
  proto::ExchangeMessage message;
  message.mutable_moved()->set_round(round);
  message.mutable_moved()->set_from_placement(1);
  message.mutable_moved()->set_placement(2);
  return control(message);
}

// Equal values of the first part of a round.
std::vector<std::byte> data(char round, bool is_result, std::size_t count, float value) {
  std::string text(17, '\0');
  text[0] = 'D';
  text[1] = round;
  text[13] = is_result ? 1 : 0;
  const std::vector<float> values(count, value);
  text.append(reinterpret_cast<const char*>(values.data()), count * sizeof(float));
  return bytes_of(text);
}

// The control messages to the scheduler, in words.
std::vector<std::string> take_control(Exchange& exchange) {
  std::vector<std::string> messages;
  while (const auto send = exchange.next_send(Time{}, kOther, true)) {
    proto::ExchangeMessage message;
    EXPECT_TRUE(
        message.ParseFromArray(send->bytes.data() + 1, static_cast<int>(send->bytes.size() - 1)));
    if (message.has_offered()) {
      messages.push_back("offered");
    } else if (message.has_retired()) {
      messages.push_back("retired");
    } else if (message.has_acknowledged()) {
      messages.push_back(fmt::format("acknowledged {}", message.acknowledged().round()));
    } else {
      messages.push_back("something else");
    }
  }
  return messages;
}

// A block moves to us in round 1. No part of it can be read or changed before.
class ExchangeOfAMovingBlock : public ::testing::Test {
 protected:
  explicit ExchangeOfAMovingBlock(float value = 1)
      : exchange(options(), kSelf, std::vector<float>(kElements, value), Time{}) {
    EXPECT_TRUE(exchange.push(Time{}, std::vector<float>(kElements, 1)));
    receive(placed());
    receive(moved(1));
  }
  void receive(const std::vector<std::byte>& bytes) {
    EXPECT_TRUE(exchange.receive(Time{}, kOther, bytes));
  }
  Exchange exchange;
};

TEST_F(ExchangeOfAMovingBlock, ARoundThatFinishesIsAcknowledgedBeforeOneThatIsOnlyTheNext) {
  EXPECT_THAT(take_control(exchange), ElementsAre("offered"));
  receive(granted({.round = 2, .pull = true, .member = kSelf, .speed_class = 1}));
  receive(granted({.round = 3, .pull = false, .member = kOther, .speed_class = 0}));
  receive(granted({.round = 4, .pull = false, .member = kOther, .speed_class = 0}));
  receive(data(3, kContribution, kElements, 1));
  EXPECT_THAT(take_control(exchange), ElementsAre("acknowledged 3"));
  receive(data(1, kResult, kElements / 2, 1));  // Rounds 1, 2 and 3 finish.
  EXPECT_THAT(take_control(exchange), ElementsAre("acknowledged 2", "acknowledged 4"));
  receive(data(4, kContribution, kElements, 1));
  EXPECT_THAT(take_control(exchange), IsEmpty());
}

TEST_F(ExchangeOfAMovingBlock, MessagesToTheSchedulerStayInOrder) {
  receive(granted({.round = 2, .pull = true, .member = kSelf, .speed_class = 0}));
  receive(data(1, kResult, kElements / 2, 1));
  ASSERT_TRUE(exchange.take_pulled());
  receive(granted({.round = 3, .pull = false, .member = kOther, .speed_class = 0}));
  exchange.retire(Time{});
  receive(granted({.round = 4, .pull = true, .member = kSelf, .speed_class = 0}));
  EXPECT_THAT(take_control(exchange), ElementsAre("offered", "acknowledged 2", "acknowledged 3",
                                                  "retired", "acknowledged 4"));
}

class ExchangeOfLargeValues : public ExchangeOfAMovingBlock {
 protected:
  static constexpr float kLarge = 3e38f;  // Twice this is not finite.
  ExchangeOfLargeValues() : ExchangeOfAMovingBlock(kLarge) {}
};

// Otherwise a pull would seem complete although this worker could not read the model.
TEST_F(ExchangeOfLargeValues, APullThatIsCompleteWhenARoundFailsDoesNotEnd) {
  receive(granted({.round = 2, .pull = true, .member = kSelf, .speed_class = 1}));
  receive(granted({.round = 3, .pull = false, .member = kOther, .speed_class = 1}));
  receive(granted({.round = 4, .pull = true, .member = kOther, .speed_class = 1}));
  receive(data(3, kContribution, kElements, kLarge));
  EXPECT_THAT(take_control(exchange), ElementsAre("offered"));

  // Rounds 1, 2 and 3 finish. Then round 4 has to read values that are not finite.
  const auto taken = exchange.receive(Time{}, kOther, data(1, kResult, kElements / 2, kLarge));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(taken.error().message, HasSubstr("not finite"));
  EXPECT_FALSE(exchange.take_pulled());
  EXPECT_FALSE(exchange.idle());
  EXPECT_THAT(take_control(exchange), ElementsAre("acknowledged 2", "acknowledged 3"));
}

}  // namespace exchange_acknowledgements_test
}  // namespace surety::fabric
