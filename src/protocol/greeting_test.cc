#include "protocol/greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/surety.pb.h"

namespace surety::protocol {
namespace greeting_test {

using ::testing::HasSubstr;

const GreetingRules kRules{
    .data_secret = 7, .version = "surety 1", .node_types = {"spot", "on-demand"}};

proto::Hello good_hello() {
  proto::Hello hello;
  hello.set_program_version("surety 1");
  hello.set_node_type("spot");
  hello.set_transport_address("10.0.0.2:4000");
  hello.set_data_secret(7);
  return hello;
}

std::string refusal_of(const proto::Hello& hello, const GreetingRules& rules = kRules) {
  const Result<void> checked = check_hello(rules, hello);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidInput);
  return checked.error().message;
}

TEST(Greeting, AWorkerOfTheRunIsAccepted) {
  EXPECT_EQ(refusal_of(good_hello()), "");
  EXPECT_EQ(refusal_of(proto::Hello(), GreetingRules()), "");
}

TEST(Greeting, AnotherKeyOfDataConnectionsIsRefusedIfTheWorkerHasSome) {
  proto::Hello hello = good_hello();
  hello.set_data_secret(8);
  EXPECT_THAT(refusal_of(hello), HasSubstr("key of its data connections"));
  hello.clear_transport_address();
  EXPECT_EQ(refusal_of(hello), "");
}

TEST(Greeting, AnotherVersionIsRefusedWithBothNames) {
  proto::Hello hello = good_hello();
  hello.set_program_version("surety\n2");
  EXPECT_THAT(refusal_of(hello),
              HasSubstr("program is surety?2, and the coordinator's is surety 1"));
  hello.clear_program_version();
  EXPECT_THAT(refusal_of(hello), HasSubstr("of no known version"));
}

TEST(Greeting, ANodeTypeThatTheJobDoesNotHaveIsRefusedWithTheTypes) {
  proto::Hello hello = good_hello();
  hello.set_node_type("gpu\x1b[2J");
  EXPECT_THAT(refusal_of(hello), HasSubstr("no node type gpu?[2J; its types are spot, on-demand"));
  hello.clear_node_type();
  EXPECT_EQ(refusal_of(hello), "");
}

TEST(Greeting, AnAddressOfOneMachineIsOnlyGoodForWorkersOfThisMachine) {
  const auto is_good = [](Reach reach, bool is_here, bool others_may_join) {
    return check_address(
               "somewhere",
               {.reach = reach, .is_on_this_machine = is_here, .others_may_join = others_may_join})
        .has_value();
  };
  EXPECT_TRUE(is_good(Reach::kEveryMachine, false, true));
  EXPECT_TRUE(is_good(Reach::kOwnMachine, true, false));
  EXPECT_FALSE(is_good(Reach::kOwnMachine, false, false));
  EXPECT_TRUE(is_good(Reach::kUnixOfOwnMachine, true, false));
  EXPECT_FALSE(is_good(Reach::kUnixOfOwnMachine, true, true));
  EXPECT_FALSE(is_good(Reach::kUnixOfOwnMachine, false, false));
}

}  // namespace greeting_test
}  // namespace surety::protocol
