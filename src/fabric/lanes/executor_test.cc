#include "fabric/lanes/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace surety::fabric {
namespace executor_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Workers 0 and 1 push two elements to worker 2, which sums both.
class Owner {
 public:
  Owner() { EXPECT_TRUE(executor_.start({{WorkerId{2}, {0, 2}}})); }
  [[nodiscard]] Result<void> receive(std::uint32_t from, const std::vector<float>& values,
                                     LaneStep step = {}) {
    return executor_.receive(WorkerId{from}, step, bytes_of(values));
  }
  [[nodiscard]] const LaneExecutor& executor() const { return executor_; }
  [[nodiscard]] const std::vector<float>& sum() const { return sum_; }

 private:
  std::vector<float> sum_ = {0, 0};
  LaneExecutor executor_{
      {.sources = {WorkerId{0}, WorkerId{1}}, .sinks = {WorkerId{2}}, .elements = 2},
      WorkerId{2},
      {},
      sum_};
};

std::string refusal(const Result<void>& result) {
  return result ? "taken" : result.error().message;
}

TEST(LaneExecutor, ASumWaitsForTheFirstSourceAndThenHasBoth) {
  Owner owner;
  EXPECT_TRUE(owner.receive(1, {10, 20}));
  EXPECT_FALSE(owner.executor().finished());
  EXPECT_TRUE(owner.receive(0, {1, 2}));
  EXPECT_TRUE(owner.executor().finished());
  EXPECT_THAT(owner.sum(), ElementsAre(11, 22));
}

TEST(LaneExecutor, WhatComesTwiceIsRefusedAndNotAddedTwice) {
  Owner owner;
  EXPECT_TRUE(owner.receive(0, {1, 2}));
  EXPECT_THAT(refusal(owner.receive(0, {1, 2})), HasSubstr("worker 0, lane 0: arrived twice"));
  EXPECT_TRUE(owner.receive(1, {10, 20}));
  EXPECT_THAT(refusal(owner.receive(1, {10, 20})), HasSubstr("worker 1, lane 0: arrived twice"));
  EXPECT_THAT(owner.sum(), ElementsAre(11, 22));
}

TEST(LaneExecutor, ALastContributionThatIsNoNumberIsNamedAndNothingIsFinished) {
  Owner owner;
  EXPECT_TRUE(owner.receive(0, {1, 2}));
  EXPECT_THAT(refusal(owner.receive(1, {10, NAN})), HasSubstr("worker 1, lane 0: a value"));
  EXPECT_FALSE(owner.executor().finished());
}

TEST(LaneExecutor, MessagesOfTheWrongSizeOfStrangersAndOfNoLaneAreRefused) {
  Owner owner;
  EXPECT_THAT(refusal(owner.receive(0, {1})), HasSubstr("4 bytes, expected 8"));
  EXPECT_THAT(refusal(owner.receive(0, {})), HasSubstr("0 bytes, expected 8"));
  EXPECT_THAT(refusal(owner.receive(7, {1, 2})), HasSubstr("worker 7"));
  EXPECT_THAT(refusal(owner.receive(0, {1, 2}, {.lane = 3})), HasSubstr("lane 3"));
  EXPECT_TRUE(owner.receive(0, {1, 2}));  // The refused messages changed nothing.
  EXPECT_TRUE(owner.receive(1, {10, 20}));
  EXPECT_THAT(owner.sum(), ElementsAre(11, 22));
}

}  // namespace executor_test
}  // namespace surety::fabric
