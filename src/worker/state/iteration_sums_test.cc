#include "worker/state/iteration_sums.h"

#include <gmock/gmock.h>

#include "learn/linear/glm_task.h"
#include "proto/surety.pb.h"

namespace surety::worker {
namespace iteration_sums_test {

using ::testing::ElementsAre;

TEST(IterationSums, SlopesAreBehindTheModelWhereALineIsSearched) {
  const std::vector<float> model{1, 2};
  EXPECT_THAT(learn::shared_vector(model, false), ElementsAre(1, 2));
  EXPECT_THAT(learn::shared_vector(model, true), ElementsAre(1, 2, 0, 0, 0, 0));
}

TEST(IterationSums, AChangeByAPartOfTheSamplesCountsForAll) {
  std::vector<float> values{1, -2, 0.5f};
  make_sums({}, {.version = "full", .parameters = {7, 7}, .parent = {}, .velocity = {}}, values);
  EXPECT_THAT(values, ElementsAre(2, -4, 0.5f));
}

TEST(IterationSums, AfterAnExchangeTheChangeIsTheDifferenceFromTheModel) {
  proto::Step order;
  order.mutable_asynchronous();
  std::vector<float> values{1, -2, 0.5f};
  make_sums(order, {.version = "full", .parameters = {7, 7}, .parent = {}, .velocity = {}}, values);
  EXPECT_THAT(values, ElementsAre(-6, -9, 0.5f));
}

// The dual rises up to a quarter of the way, and no asynchronous iteration stops before that.
TEST(IterationSums, TheChangeIsCutToTheStepThatItsSlopesAllow) {
  learn::TaskOptions options{.model = "svm", .schema = {}, .samples = 10};
  options.schema = {.layout = data::Layout::kDenseF32, .width = 2, .features = 2};
  const auto task = learn::make_glm_task(options).value();
  const learn::Model model = task->initial_model();
  proto::Step order;
  order.set_line_search(true);
  order.mutable_asynchronous();
  // The slopes of the samples are an eighth everywhere, and the term t |update|^2 = t / 2 is
  // subtracted from them.
  std::vector<float> sums{0.5f, -0.5f, 0.125f, 0.125f, 0.125f, 0.125f};
  const learn::Model next = next_model(order, {}, model, *task, sums);
  EXPECT_THAT(next.parameters, ElementsAre(sums[0], sums[1]));
  EXPECT_FLOAT_EQ(sums[0], 0.125f);
  EXPECT_FLOAT_EQ(sums[1], -0.125f);
  EXPECT_EQ(sums[2], 0.125f);
}

}  // namespace iteration_sums_test
}  // namespace surety::worker
