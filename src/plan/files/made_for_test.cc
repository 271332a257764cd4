#include "plan/files/made_for.h"

#include <gtest/gtest.h>

#include "plan/files/made_for_json.h"

namespace surety::plan {
namespace made_for_test {

MadeFor some_job() {
  return {{{"data.digits.content", "00ff"},
           {"data.digits.price", "2"},
           {"data.digits.source", "idx://digits.gz"},
           {"model.zoo", "lenet5"},
           {"train.learning_rate", "0.02"},
           {"train.passes_max", "200"},
           {"cluster.nodes.local.price", "1/h"},
           {"promise.metric", "accuracy"},
           {"promise.probability", "0.9"},
           {"promise.deadline", "300s"}}};
}

using Check = Result<void> (*)(std::string_view, const MadeFor&, const MadeFor&);

// Whether `check` refuses something made for a job with another value of this aspect.
bool refuses(Check check, const std::string& aspect) {
  MadeFor other = some_job();
  other.aspects[aspect] = "other";
  return !check("file", other, some_job());
}

TEST(MadeFor, SurvivesWritingAndReading) {
  const Result<MadeFor> read = made_for_from_json("made_for.json", to_json(some_job()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, some_job());
}

TEST(MadeFor, ErrorsNameFileKeyFoundAndExpected) {
  const auto error_of = [](std::string_view text) {
    const auto read = made_for_from_json("made_for.json", text);
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(error_of("{"), "made_for.json: line 1: found text that is not JSON");
  EXPECT_EQ(error_of("{}"), "made_for.json: expected an object with the one key made_for");
  EXPECT_EQ(error_of(R"({"made_for": 1})"),
            "made_for.json: made_for: found number, expected an object");
  EXPECT_EQ(error_of(R"({"made_for": {"train.batch": 32}})"),
            "made_for.json: made_for.train.batch: found number, expected a string");
}

TEST(MadeFor, APlanIsForOneJobAndOnePromise) {
  EXPECT_TRUE(check_plan_made_for("plan.json", some_job(), some_job()));
  for (const char* aspect :
       {"data.digits.content", "data.digits.price", "model.zoo", "train.learning_rate",
        "train.passes_max", "cluster.nodes.local.price", "promise.metric", "promise.probability",
        "promise.deadline", "promise.budget", "data.letters.content"}) {
    EXPECT_TRUE(refuses(check_plan_made_for, aspect)) << aspect;
  }
}

TEST(MadeFor, AProfileIsForTheDataTheModelAndTheTrainingWhateverIsPromised) {
  EXPECT_TRUE(check_profile_made_for("profile", some_job(), some_job()));
  for (const char* aspect :
       {"data.digits.content", "model.zoo", "train.learning_rate", "promise.metric"}) {
    EXPECT_TRUE(refuses(check_profile_made_for, aspect)) << aspect;
  }
  for (const char* aspect : {"data.digits.price", "train.passes_max", "cluster.nodes.local.price",
                             "promise.probability", "promise.deadline", "promise.budget"}) {
    EXPECT_FALSE(refuses(check_profile_made_for, aspect)) << aspect;
  }
}

TEST(MadeFor, ARenamedFileWithTheSameContentIsTheSameData) {
  EXPECT_FALSE(refuses(check_plan_made_for, "data.digits.source"));
  EXPECT_FALSE(refuses(check_profile_made_for, "data.digits.source"));
}

TEST(MadeFor, EachDifferenceIsALineWithFoundAndExpected) {
  MadeFor other = some_job();
  other.aspects["data.digits.content"] = "abcd";
  other.aspects["data.digits.source"] = "idx://letters.gz";
  other.aspects["promise.deadline"] = "60s";
  other.aspects["promise.budget"] = "5";
  const auto plan = check_plan_made_for("plan.json", other, some_job());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(plan.error().message,
            "plan.json: this plan was made for another job:\n"
            "  data.digits.content: found abcd, expected 00ff\n"
            "  data.digits.source: found idx://letters.gz, expected idx://digits.gz\n"
            "  promise.budget: found 5, expected nothing\n"
            "  promise.deadline: found 60s, expected 300s\n"
            "make one for this job with  surety plan,  or change the job to what the plan was made "
            "for");
  const auto profile = check_profile_made_for("runs/p/profile", other, some_job());
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "runs/p/profile: this profile was measured for another job:\n"
            "  data.digits.content: found abcd, expected 00ff\n"
            "  data.digits.source: found idx://letters.gz, expected idx://digits.gz\n"
            "measure this job with  surety profile,  or name another profile with --profile");
}

}  // namespace made_for_test
}  // namespace surety::plan
