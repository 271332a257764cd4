#include "sim/check/sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::sim {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr std::uint32_t kProcess = 3;

proto::Step step(std::uint64_t iteration, std::uint32_t samples) {
  proto::Step order;
  order.set_iteration(iteration);
  order.set_averages(true);
  proto::WorkItem& item = *order.add_items();
  item.set_chunk(1);
  item.set_count(samples);
  return order;
}

proto::StepDone report(std::uint64_t samples) {
  proto::StepDone done;
  done.set_samples(samples);
  return done;
}

class SumsTest : public testing::Test {
 protected:
  void learn(std::uint64_t samples, std::vector<float> update) {
    sums_.on_learned(kProcess, false, samples, update);
  }
  void join(const proto::Step& order, std::vector<float> values) {
    sums_.on_joined(kProcess, order, values);
  }

  Sums sums_;
};

TEST_F(SumsTest, AnAttemptThatContinuesAnotherAddsBothParts) {
  const proto::Step order = step(1, 100);
  sums_.on_work(kProcess, order);
  learn(40, {1, 2});
  sums_.on_work(kProcess, order);
  learn(60, {3, 4});
  join(order, {4, 6, 0});
  sums_.on_reported(kProcess, report(100));
  EXPECT_EQ(sums_.violation(), std::nullopt);
}

TEST_F(SumsTest, ASampleThatIsLearnedTwiceForTheSameWorkIsFound) {
  proto::Step order = step(1, 100);
  order.mutable_asynchronous();
  sums_.on_work(kProcess, order);
  sums_.on_learned(kProcess, true, 40, std::vector<float>{1, 2});
  sums_.on_work(kProcess, order);
  sums_.on_learned(kProcess, true, 60, std::vector<float>{1, 2});
  EXPECT_EQ(sums_.violation(), std::nullopt);
  sums_.on_learned(kProcess, true, 40, std::vector<float>{1, 2});
  EXPECT_THAT(sums_.violation(),
              Optional(HasSubstr("learned 140 samples in iteration 1, which gave it 100")));
}

TEST_F(SumsTest, LearnedWorkThatIsMissingInTheSumIsFound) {
  const proto::Step order = step(1, 100);
  sums_.on_work(kProcess, order);
  learn(40, {1, 2});
  sums_.on_work(kProcess, order);
  learn(60, {3, 4});
  join(order, {3, 4, 0});
  EXPECT_THAT(sums_.violation(),
              Optional(HasSubstr("adds 3 to the sum of iteration 1, and its task has "
                                 "learned 4")));
}

TEST_F(SumsTest, APartOfTheSamplesCountsAsAPartOfAnAverage) {
  const proto::Step order = step(1, 100);
  sums_.on_work(kProcess, order);
  learn(50, {2});
  join(order, {1, 0.5f});
  EXPECT_EQ(sums_.violation(), std::nullopt);
  join(order, {2, 0});
  EXPECT_THAT(sums_.violation(), Optional(HasSubstr("adds 2")));
}

TEST_F(SumsTest, SamplesThatWereNotLearnedFromAreFound) {
  const proto::Step order = step(1, 100);
  sums_.on_work(kProcess, order);
  learn(50, {2});
  join(order, {1, 0.5f});
  sums_.on_reported(kProcess, report(100));
  EXPECT_THAT(sums_.violation(),
              Optional(HasSubstr("reports 100 samples, and has learned from 50")));
}

TEST_F(SumsTest, WorkThatIsThrownAwayAndRequestedAgainIsFound) {
  sums_.on_work(kProcess, step(1, 100));
  learn(50, {2});
  sums_.on_discard(kProcess);
  sums_.on_work(kProcess, step(2, 100));
  EXPECT_EQ(sums_.violation(), std::nullopt);
  learn(50, {2});
  sums_.on_discard(kProcess);
  sums_.on_work(kProcess, step(2, 100));
  EXPECT_THAT(sums_.violation(),
              Optional(HasSubstr("discarded the work that it had learned in iteration 2")));
}

TEST_F(SumsTest, CommittedWorkIsNotAddedAgain) {
  sums_.on_work(kProcess, step(1, 100));
  learn(100, {2});
  sums_.on_commit(kProcess);
  sums_.on_work(kProcess, step(2, 100));
  learn(100, {3});
  join(step(2, 100), {3, 0});
  EXPECT_EQ(sums_.violation(), std::nullopt);
  join(step(2, 100), {5, 0});
  EXPECT_NE(sums_.violation(), std::nullopt);
}

}  // namespace
}  // namespace surety::sim
