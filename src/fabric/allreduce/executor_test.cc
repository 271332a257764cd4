#include "fabric/allreduce/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"

namespace surety::fabric {
namespace executor_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<WorkerId> kMembers{WorkerId{1}, WorkerId{2}, WorkerId{3}};

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// Worker 1 of three, with six elements: it owns elements 0 and 1. It receives, by step:
// contributions of workers 3 and 2 to its part, then the results of workers 2 and 3.
class OneOfThree : public ::testing::Test {
 protected:
  std::uint32_t step_of(TransferKind kind, std::uint32_t from) const {
    for (const Transfer& t : schedule.transfers) {
      if (t.kind == kind && t.from == WorkerId{from} && t.to == WorkerId{1}) return t.step;
    }
    ADD_FAILURE();
    return 0;
  }
  Result<void> contribute(std::uint32_t from, const std::vector<float>& slice) {
    return executor.receive(WorkerId{from}, step_of(TransferKind::kContribution, from),
                            bytes_of(slice));
  }
  Result<void> give_result(std::uint32_t from, const std::vector<float>& slice) {
    return executor.receive(WorkerId{from}, step_of(TransferKind::kResult, from), bytes_of(slice));
  }

  const Schedule schedule = all_reduce(kMembers, 6);
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  RoundExecutor executor{schedule, WorkerId{1}, {1.0f, 0.5f, 0.25f}, values};
};

TEST_F(OneOfThree, SendsItsContributionsAtOnceAndItsSumWhenItIsComplete) {
  auto sends = executor.next_sends();
  ASSERT_EQ(sends.size(), 2u);
  EXPECT_EQ(sends[0].to, WorkerId{2});
  EXPECT_EQ(std::vector(sends[0].bytes.begin(), sends[0].bytes.end()), bytes_of({3, 4}));
  EXPECT_THAT(executor.next_sends(), IsEmpty());

  ASSERT_TRUE(contribute(3, {100, 200}));
  EXPECT_THAT(executor.next_sends(), IsEmpty());
  ASSERT_TRUE(contribute(2, {10, 20}));
  sends = executor.next_sends();
  ASSERT_EQ(sends.size(), 2u);
  // 1 + 0.5 * 10 + 0.25 * 100 and 2 + 0.5 * 20 + 0.25 * 200.
  EXPECT_EQ(std::vector(sends[1].bytes.begin(), sends[1].bytes.end()), bytes_of({31, 62}));
}

TEST_F(OneOfThree, ValuesAreUntouchedUntilAllHasCome) {
  ASSERT_TRUE(contribute(2, {10, 20}));
  ASSERT_TRUE(contribute(3, {100, 200}));
  ASSERT_TRUE(give_result(2, {7, 7}));
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(executor.waiting_for(), ElementsAre(WorkerId{3}));
  ASSERT_TRUE(give_result(3, {8, 8}));
  EXPECT_THAT(values, ElementsAre(31, 62, 7, 7, 8, 8));
}

TEST_F(OneOfThree, SpansStayValidWhenValuesAreOverwritten) {
  const auto contributions = executor.next_sends();
  ASSERT_TRUE(contribute(2, {10, 20}) && contribute(3, {100, 200}));
  ASSERT_TRUE(give_result(2, {7, 7}) && give_result(3, {8, 8}));
  std::fill(values.begin(), values.end(), -1.0f);
  EXPECT_EQ(std::vector(contributions[0].bytes.begin(), contributions[0].bytes.end()),
            bytes_of({3, 4}));
}

TEST_F(OneOfThree, IsNotFinishedBeforeItsSumsAreHandedOut) {
  ASSERT_TRUE(contribute(2, {0, 0}) && contribute(3, {0, 0}));
  ASSERT_TRUE(give_result(2, {0, 0}) && give_result(3, {0, 0}));
  EXPECT_THAT(executor.waiting_for(), IsEmpty());
  EXPECT_FALSE(executor.finished());
  EXPECT_EQ(executor.next_sends().size(), 4u);
  EXPECT_TRUE(executor.finished());
}

TEST_F(OneOfThree, RefusesWhatIsNotForItAndChangesNothing) {
  ASSERT_TRUE(contribute(2, {10, 20}));
  const std::uint32_t step = step_of(TransferKind::kContribution, 3);
  const auto refused = [&](std::uint32_t from, std::uint32_t at, std::size_t bytes) {
    const auto result = executor.receive(WorkerId{from}, at, std::vector<std::byte>(bytes));
    EXPECT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
    return result.error().message;
  };
  EXPECT_THAT(refused(2, step_of(TransferKind::kContribution, 2), 8), HasSubstr("twice"));
  EXPECT_THAT(refused(3, step, 7), HasSubstr("7 bytes, expected 8"));
  EXPECT_THAT(refused(2, step, 8), HasSubstr("from worker 2, expected worker 3"));
  EXPECT_THAT(refused(9, step, 8), HasSubstr("expected worker 3"));
  EXPECT_THAT(refused(3, 0, 8), HasSubstr("not for this worker"));
  EXPECT_THAT(refused(3, 999, 8), HasSubstr("not for this worker"));
  // The refused messages do not change the round: it ends with the same result.
  ASSERT_TRUE(contribute(3, {100, 200}));
  ASSERT_TRUE(give_result(2, {7, 7}) && give_result(3, {8, 8}));
  EXPECT_THAT(values, ElementsAre(31, 62, 7, 7, 8, 8));
}

TEST_F(OneOfThree, AContributionThatIsNotFiniteIsCorruptAndNamesItsSender) {
  using limits = std::numeric_limits<float>;
  for (const float bad : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()}) {
    const auto result = contribute(3, {1, bad});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(result.error().message, HasSubstr("worker 3"));
    EXPECT_EQ(give_result(2, {bad, 1}).error().code, ErrorCode::kCorrupt);
  }
  EXPECT_TRUE(contribute(3, {1, 1}));  // The corrupt messages had changed nothing.
}

TEST(RoundExecutor, AloneItIsFinishedAtOnceWithItsWeightApplied) {
  std::vector<float> values{2, 4};
  RoundExecutor executor(all_reduce({WorkerId{5}}, 2), WorkerId{5}, {0.5f}, values);
  EXPECT_TRUE(executor.finished());
  EXPECT_THAT(values, ElementsAre(1, 2));
}

TEST(RoundExecutor, DistributionFillsThoseWhoHaveNothingAndLeavesTheOthers) {
  const Schedule schedule = distribute({WorkerId{1}, WorkerId{3}}, {WorkerId{2}}, 4);
  std::vector<float> held{1, 2, 3, 4};
  std::vector<float> empty(4);
  RoundExecutor one(schedule, WorkerId{1}, {}, held);
  RoundExecutor three(schedule, WorkerId{3}, {}, held);
  RoundExecutor two(schedule, WorkerId{2}, {}, empty);
  EXPECT_TRUE(two.next_sends().empty());
  EXPECT_THAT(two.waiting_for(), ElementsAre(WorkerId{1}, WorkerId{3}));
  for (const auto& send : three.next_sends()) {
    ASSERT_TRUE(two.receive(WorkerId{3}, send.step, send.bytes));
  }
  for (const auto& send : one.next_sends()) {
    ASSERT_TRUE(two.receive(WorkerId{1}, send.step, send.bytes));
  }
  EXPECT_TRUE(one.finished() && two.finished() && three.finished());
  EXPECT_THAT(empty, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(held, ElementsAre(1, 2, 3, 4));
}

// Messages arrive in any order, some repeatedly; all members end with the direct sum, to the bit.
// Values of very different sizes make any other order of addition visible.
TEST(RoundExecutor, AnyOrderOfArrivalGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const std::size_t count = 1 + random.below(7);
    const std::size_t elements = random.below(50);
    std::vector<WorkerId> members;
    std::vector<float> weights;
    std::vector<std::vector<float>> values(count, std::vector<float>(elements));
    std::vector<float> expected(elements, 0.0f);
    for (std::size_t m = 0; m < count; ++m) {
      members.push_back(WorkerId{static_cast<std::uint32_t>(3 * m + 1)});
      weights.push_back(random.below(4) == 0 ? 0.0f : static_cast<float>(random.uniform()));
      for (auto& v : values[m]) {
        v = static_cast<float>(random.normal() * std::exp(random.normal() * 8));
      }
      for (std::size_t i = 0; i < elements; ++i) expected[i] += weights[m] * values[m][i];
    }
    const Schedule schedule = all_reduce(members, elements);
    std::vector<std::unique_ptr<RoundExecutor>> executors;
    for (std::size_t m = 0; m < count; ++m) {
      executors.push_back(
          std::make_unique<RoundExecutor>(schedule, members[m], weights, values[m]));
    }
    struct Message {
      std::size_t from;
      std::size_t to;
      RoundExecutor::Send send;
    };
    std::vector<Message> under_way;
    const auto collect = [&](std::size_t m) {
      for (const auto& send : executors[m]->next_sends()) {
        under_way.push_back({m, (send.to.value - 1) / 3, send});
      }
    };
    for (std::size_t m = 0; m < count; ++m) collect(m);
    while (!under_way.empty()) {
      std::swap(under_way[random.below(under_way.size())], under_way.back());
      const Message message = under_way.back();
      // Otherwise the message will be delivered again.
      if (random.below(5) > 0) under_way.pop_back();
      const auto& send = message.send;
      const auto taken =
          executors[message.to]->receive(members[message.from], send.step, send.bytes);
      if (!taken) {
        EXPECT_THAT(taken.error().message, HasSubstr("twice"));
      }
      collect(message.to);
    }
    for (std::size_t m = 0; m < count; ++m) {
      EXPECT_TRUE(executors[m]->finished());
      EXPECT_EQ(bytes_of(values[m]), bytes_of(expected)) << "seed " << seed << ", member " << m;
    }
  }
}

}  // namespace executor_test
}  // namespace surety::fabric
