// Numbers of a job file that are too large: each refusal names the largest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job_file.h"
#include "test/support/job/job_schema.h"

namespace surety::job {
namespace job_limits_test {

using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& set, const std::string& also = "name=x") {
  const Result<Override> parsed = parse_override(set);
  const Result<Override> second = parse_override(also);
  if (!parsed || !second) return "no override";
  const Result<Job> job = parse_job("job.yaml",
                                    "promise: {target: 0.5, deadline: 20min}\n"
                                    "data: \"digits://?samples=8000\"\n"
                                    "model: {zoo: lenet5}\n",
                                    std::vector{*parsed, *second}, 0);
  return job ? "accepted" : job.error().message;
}

TEST(JobLimits, AnIterationHasAtMostABillionSamplesOfAWorker) {
  EXPECT_EQ(refusal("train.batch=1000", "train.local_steps=1000000"), "accepted");
  EXPECT_THAT(refusal("train.batch=65536", "train.local_steps=65536"),
              HasSubstr("train.local_steps: found 65536, expected at most 15258: a worker would "
                        "learn from 4.29e+09 samples in one iteration"));
  EXPECT_THAT(refusal("train.local_steps=1000", "train.batch=1000000"), HasSubstr("accepted"));
  EXPECT_THAT(refusal("train.local_steps=1001", "train.batch=1000000"),
              HasSubstr("found 1001, expected at most 1000"));
  EXPECT_THAT(refusal("train={mode: async, batch: 1000, updates: 1000000}"),
              HasSubstr("batch, local_steps and updates multiplied"));
  // Every number of local steps would be too large.
  EXPECT_THAT(refusal("train={mode: async, batch: 100000, updates: 100000, local_steps: 1}"),
              HasSubstr("train.updates: found 100000, expected at most 10000"));
}

std::string refusal_of_text(const std::string& text) {
  const Result<Job> job = parse_job("job.yaml", text, {}, 0);
  return job ? "accepted" : job.error().message;
}

TEST(JobLimits, ALongKeyOrValueIsCutInTheRefusal) {
  const std::string longer(300'000, 'x');
  EXPECT_LT(refusal_of_text("data: {" + longer + ": 1}").size(), 500u);
  EXPECT_LT(refusal_of_text("data: \"digits://\"\npromise: {target: " + longer + "}").size(), 500u);
  EXPECT_LT(refusal("promise." + longer + "=1").size(), 1000u);
  EXPECT_LT(refusal("promise.target." + longer + "=1").size(), 500u);
  EXPECT_LT(refusal("model.zoo=" + longer).size(), 500u);
  EXPECT_LT(parse_override(longer).error().message.size(), 300u);
  // A cut between the two bytes of a character would leave a text that is not UTF-8.
  EXPECT_THAT(refusal("promise.target=" + std::string(96, 'x') + "ääää"),
              HasSubstr("found " + std::string(96, 'x') + "..., expected"));
}

TEST(JobLimits, AWholeNumberThatIsTooLargeIsAnsweredWithTheLargest) {
  std::size_t keys = 0;
  for (const KeyInfo& info : job_schema()) {
    if (!info.expected.starts_with("a whole number")) continue;
    const std::size_t to = info.expected.find(" to ");
    ASSERT_NE(to, std::string::npos) << info.key << ": " << info.expected;
    const std::string largest = info.expected.substr(
        to + 4, info.expected.find_first_not_of("0123456789", to + 4) - to - 4);
    // 1000000 becomes 1000001; a number beyond 64 bits gets one more digit.
    std::string larger = largest;
    larger.back() == '0' ? void(larger.back() = '1') : larger.push_back('0');
    if (info.key.starts_with("cluster.nodes.N.")) continue;
    ++keys;
    EXPECT_THAT(
        refusal(info.key + "=" + larger),
        HasSubstr(fmt::format("{}: found {}, expected {}", info.key, larger, info.expected)));
    EXPECT_THAT(refusal(info.key + "=" + largest),
                Not(HasSubstr(fmt::format("expected {}", info.expected))));
  }
  EXPECT_GE(keys, 12u);
  EXPECT_THAT(refusal("cluster.local=100000"), HasSubstr("from 0 to 1000"));
  EXPECT_THAT(
      refusal("cluster.nodes=[{name: a, local: 1001, price: 1/h}]"),
      HasSubstr("cluster.nodes.0.local: found 1001, expected a whole number from 0 to 1000"));
  EXPECT_THAT(refusal("cluster.nodes=[{name: a, join: 1000001, price: 1/h}]"),
              HasSubstr("expected a whole number from 0 to 1000000"));
}

TEST(JobLimits, AnyNumberThatIsTooLargeIsToldTheLargest) {
  for (const char* number : {"1e301", "1e999"}) {
    for (const char* key : {"promise.budget", "promise.target", "train.learning_rate",
                            "train.average", "train.lambda", "data.0.price"}) {
      EXPECT_THAT(refusal(fmt::format("{}={}", key, number)),
                  HasSubstr("the largest number is 1e300"))
          << key << "=" << number;
    }
  }
  EXPECT_THAT(refusal("promise.deadline=36501d"), HasSubstr("up to 36500d"));
  EXPECT_THAT(refusal("cluster.wait=36501d"), HasSubstr("up to 36500d"));
}

TEST(JobLimits, ABudgetThatTheDataAloneUseUpIsRefusedWithWhatTheyCost) {
  EXPECT_THAT(refusal("promise={target: 0.5, deadline: 1h, budget: 2}"), "accepted");
  const std::string priced =
      "data=[{source: \"digits://\", price: 1.5}, {source: \"digits://?seed=2\", price: 0.5}]";
  EXPECT_THAT(refusal(priced), "accepted");
  EXPECT_THAT(refusal(priced, "promise.budget=2"),
              HasSubstr("promise.budget: found 2, expected more than 2: the data sets alone cost"));
  EXPECT_EQ(refusal(priced, "promise.budget=2.01"), "accepted");
}

}  // namespace job_limits_test
}  // namespace surety::job
