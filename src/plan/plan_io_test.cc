#include "plan/plan_io.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace {

Plan some_plan() {
  Plan plan;
  plan.data = {"a", "b"};
  plan.blocks = {{"prune:0.5", 4, 2, 1.0 / 3, 0}, {"full", 9, 3, 2.5, 0.1}};
  plan.probability = 0.1 + 0.2;
  plan.bands = {{0, 1, 2, 3}};
  plan.runners_up = {{"full only", 3.5, 0.97}};
  plan.assumptions = {{"n", "t", false, "f"}};
  plan.reason = "\"quoted\" é";
  return plan;
}

TEST(PlanIo, PlanSurvivesWritingAndReading) {
  const std::string text = to_json(some_plan());
  const Result<Plan> read = plan_from_json("plan.json", text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->probability, 0.1 + 0.2);
  EXPECT_EQ(read->blocks[0].pass_s, 1.0 / 3);
}

TEST(PlanIo, InfeasibleKeepsWhatIsMissingMissing) {
  Infeasible infeasible;
  infeasible.reason_class = "deadline";
  infeasible.deadline_s = 90;
  infeasible.best_effort = some_plan();
  const std::string text = to_json(Decision(infeasible));
  const Result<Decision> read = decision_from_json("d", text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_FALSE(std::get<Infeasible>(*read).budget);
  EXPECT_EQ(std::get<Infeasible>(*read).deadline_s, 90);
}

TEST(PlanIo, ErrorsNameTheKeyFoundAndExpected) {
  const std::string good = to_json(some_plan());
  const auto error_after = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto read = plan_from_json("plan.json", text);
    return read ? std::string("no error") : read.error().message;
  };
  EXPECT_EQ(error_after("\"passes\": 9", "\"passes\": \"9\""),
            "plan.json: blocks[1].passes: found string, expected a count from 0 to 4294967295");
  EXPECT_EQ(error_after("\"passes\": 9", "\"passes\": -9"),
            "plan.json: blocks[1].passes: found number, expected a count from 0 to 4294967295");
  EXPECT_EQ(error_after("\"cost_95\"", "\"cost_96\""), "plan.json: cost_95: is missing");
  EXPECT_EQ(error_after("\"reason\"", "\"extra\": 1, \"reason\""), "plan.json: extra: unknown key");
  EXPECT_EQ(error_after("{", ""), "plan.json: is not JSON");
  Plan empty = some_plan();
  empty.blocks.clear();
  EXPECT_FALSE(plan_from_json("plan.json", to_json(empty)));
  EXPECT_FALSE(decision_from_json("d", good));
}

}  // namespace
}  // namespace surety::plan
