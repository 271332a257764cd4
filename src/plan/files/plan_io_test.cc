#include "plan/files/plan_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "plan/files/plan_ranges.h"
#include "test/support/plan/example_plans.h"

namespace surety::plan {
namespace plan_io_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Plan some_plan() {
  Plan plan = example::closed_loop_plan();
  plan.claims->probability = 0.1 + 0.2;
  plan.reason = "\"quoted\" é";
  return plan;
}

std::string text_of(const Plan& plan) { return to_json(Decision(plan)); }

Result<Plan> plan_of(const std::string& text) {
  SURETY_TRY(Decision decision, decision_from_json("plan.json", text));
  return std::get<Plan>(std::move(decision));
}

std::string error_of(const std::string& text) {
  const auto read = plan_of(text);
  return read ? "no error" : read.error().message;
}

// The error of reading after `from` was replaced in the written plan.
std::string error_after(const std::string& from, const std::string& to) {
  std::string text = text_of(some_plan());
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "not found: " + from;
  return error_of(text.replace(at, from.size(), to));
}

// The error of reading a plan that was changed before it was written.
std::string error_with(const std::function<void(Plan&)>& change) {
  Plan plan = some_plan();
  change(plan);
  return error_of(text_of(plan));
}

TEST(PlanIo, EveryPlanSurvivesWritingAndReading) {
  for (const Plan& plan : {some_plan(), example::open_loop_plan()}) {
    const std::string text = text_of(plan);
    const Result<Plan> read = plan_of(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(text_of(*read), text);
    EXPECT_EQ(read->policy.has_value(), plan.policy.has_value());
    ASSERT_TRUE(read->claims);
    EXPECT_EQ(read->claims->support.binding, BoundKind::kLearnThenTest);
  }
}

TEST(PlanIo, APlanFileSaysWhichJobItWasMadeFor) {
  const MadeFor job{{{"model.zoo", "lenet5"}}};
  for (const Decision& decision : {Decision(some_plan()), Decision(example::infeasible())}) {
    const std::string text = to_json(PlanFile{job, decision});
    const Result<PlanFile> read = plan_file_from_json("plan.json", text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->made_for, job);
    EXPECT_EQ(to_json(*read), text);
  }
}

TEST(PlanIo, AFileThatIsNoPlanFileIsRefused) {
  const auto error_of = [](const std::string& text) {
    const auto read = plan_file_from_json("plan.json", text);
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(
      error_of(to_json(Decision(some_plan()))),
      "plan.json: made_for: found nothing, expected the job that the plan was made for: plan "
      "again with  surety plan; or for a plan by hand, change the plan.json of a  surety train "
      " of this job (docs/formats.md)");
  EXPECT_EQ(error_of("{}"),
            "plan.json: found no key plan or infeasible, expected a plan.json that surety wrote");
  EXPECT_EQ(error_of("name: glm"),
            "plan.json: line 1: found text that is not JSON; expected a plan.json that surety plan "
            "--out or a run wrote");
  std::string both = to_json(PlanFile{{}, some_plan()});
  both.replace(both.find('{'), 1, "{\"extra\": 1,");
  EXPECT_EQ(error_of(both), "plan.json: expected an object with the one key plan or infeasible");
}

void remove_checksum(std::string& text) {
  const std::size_t at = text.find(",\n  \"checksum\"");
  ASSERT_NE(at, std::string::npos) << text;
  text.erase(at, text.find('\n', at + 2) - at);
}

std::string error_of_file(const Plan& plan, const std::function<void(std::string&)>& change = {}) {
  std::string text = to_json(PlanFile{{}, plan});
  if (change) change(text);
  const auto read = plan_file_from_json("plan.json", text);
  return read ? "no error" : read.error().message;
}

TEST(PlanIo, APlanFileOfAPlannerThatWasChangedIsRefused) {
  const auto replace = [](const std::string& from, const std::string& to) {
    return [from, to](std::string& text) {
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    };
  };
  const Plan plan = example::closed_loop_plan();
  EXPECT_EQ(error_of_file(plan, replace("\n", "\n\n")), "no error");
  EXPECT_THAT(error_of_file(plan, replace("\"what\": \"", "\"what\": \"x")),
              StartsWith("plan.json: checksum: found the checksum of another content: "));
  EXPECT_THAT(error_of_file(plan, replace("\"checksum\": \"", "\"checksum\": \"x")),
              StartsWith("plan.json: checksum: found the checksum of another content: "));
  EXPECT_THAT(error_of_file(plan, remove_checksum),
              StartsWith("plan.json: checksum: found nothing, expected the checksum of a plan "));
}

TEST(PlanIo, APlanByHandNeedsNoChecksumButAStatedOneMustFit) {
  Plan plan;
  plan.planner = Planner::kByHand;
  plan.data = {"a"};
  plan.blocks = {{.version = "full", .passes = 3}};
  EXPECT_EQ(error_of_file(plan), "no error");
  EXPECT_EQ(error_of_file(plan, remove_checksum), "no error");
  const auto change = [](std::string& text) {
    const std::size_t at = text.find("\"passes\": 3");
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, 11, "\"passes\": 4");
  };
  EXPECT_THAT(error_of_file(plan, change),
              EndsWith("remove this key from a plan by hand that you have changed"));
}

TEST(PlanIo, APlanOfAPlannerMakesClaims) {
  for (Plan plan : {example::closed_loop_plan(), example::open_loop_plan()}) {
    EXPECT_EQ(error_of_file(plan), "no error");
    plan.claims.reset();
    const std::string expected =
        "plan.json: plan.claims: found null, expected an object: only a plan that was written by "
        "hand (the planner by-hand) makes no claims";
    EXPECT_EQ(error_of_file(plan), expected);
    EXPECT_EQ(error_of(text_of(plan)), expected);  // Also in a journal.
  }
}

TEST(PlanIo, APlanByHandMakesNoClaims) {
  Plan plan;
  plan.blocks = {{.version = "full", .passes = 3}};
  EXPECT_EQ(error_of_file(plan), "no error");
  EXPECT_THAT(text_of(plan), HasSubstr("\"claims\": null"));
  const auto read = plan_of(text_of(plan));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->planner, Planner::kByHand);
  EXPECT_FALSE(read->blocks[0].nodes);
  EXPECT_FALSE(read->claims);

  plan.claims = example::claims();
  EXPECT_EQ(error_of_file(plan),
            "plan.json: plan.claims: found an object, expected null: a plan by hand makes no "
            "claims");
}

TEST(PlanIo, ABlockNamesAtLeastOneNodeOrNoNumber) {
  Plan plan;
  plan.blocks = {{.version = "full", .passes = 3, .nodes = 0}};
  EXPECT_EQ(error_of(text_of(plan)),
            "plan.json: plan.blocks[0].nodes: found 0, expected at least 1, or null for all that "
            "are present");
  plan.blocks[0].nodes.reset();
  EXPECT_THAT(text_of(plan), HasSubstr("\"nodes\": null"));
  EXPECT_EQ(error_of(text_of(plan)), "no error");
}

TEST(PlanIo, ABlockByHandNeedsNoDurationAndNoPriceButThatOfAPlannerDoes) {
  Plan plan;
  plan.blocks = {{.version = "full", .passes = 3}};
  EXPECT_THAT(text_of(plan), HasSubstr("\"pass_s\": null"));
  EXPECT_EQ(error_of(text_of(plan)), "no error");
  const auto missing = [](const std::string& key) {
    return "plan.json: plan.blocks[1]." + key +
           ": found null, expected a number: the claims depend on it";
  };
  EXPECT_EQ(error_with([](Plan& p) { p.blocks[1].pass_s.reset(); }), missing("pass_s"));
  EXPECT_EQ(error_with([](Plan& p) { p.blocks[1].switch_s.reset(); }), missing("switch_s"));
  EXPECT_EQ(error_with([](Plan& p) { p.blocks[1].price_per_s.reset(); }), missing("price_per_s"));
}

TEST(PlanIo, AnUnknownBoundIsRefused) {
  EXPECT_EQ(error_after("\"learn then test\"", "\"neither\""),
            "plan.json: plan.claims.support.binding: found \"neither\", expected one of percentile "
            "margin, learn then test");
}

TEST(PlanIo, APolicyInAFixedScheduleIsRefused) {
  EXPECT_EQ(
      error_with([](Plan& p) { p.planner = Planner::kMean; }),
      "plan.json: plan.policy: found an object, expected null: the plan is not a closed-loop one");
}

TEST(PlanIo, LawsOfAFixedScheduleOutOfRangeAreRefused) {
  const auto error = [](const std::function<void(Plan&)>& change) {
    Plan plan = example::open_loop_plan();
    change(plan);
    return error_of(text_of(plan));
  };
  EXPECT_EQ(error([](Plan& p) { p.claims->setting.variants.pop_back(); }),
            "plan.json: plan.claims.setting.variants: found 1, expected 2, one for each block");
  EXPECT_EQ(error([](Plan& p) { p.claims->setting.laws.versions[1].rank = 2; }),
            "plan.json: plan.claims.setting.laws.versions[1].rank: found 2, expected less than 2");
  EXPECT_EQ(error([](Plan& p) { p.blocks.resize(65, p.blocks[0]); }),
            "plan.json: plan.blocks: found 65, expected at most 64");
  EXPECT_EQ(error([](Plan& p) { p.blocks[0].passes = 100'001; }),
            "plan.json: plan.blocks: found 100005, expected at most 100000 passes of all blocks "
            "together");
  EXPECT_EQ(error([](Plan& p) { p.claims->setting.passes_max = 1'000'001; }),
            "plan.json: plan.claims.setting.passes_max: found 1000001, expected 1 to 1000000");
  EXPECT_EQ(error([](Plan& p) {
              p.claims->bands.assign(1001, p.claims->bands.back());
              p.claims->usage.clear();
            }),
            "plan.json: plan.claims.bands: found 1001, expected at most 1000");
}

TEST(PlanIo, NumbersSurviveExactly) {
  Plan plan = some_plan();
  plan.claims->setting.variants[1].until_s = 0.1 + 0.2;
  const Result<Plan> read = plan_of(text_of(plan));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->claims->probability, 0.1 + 0.2);
  EXPECT_EQ(read->policy->lambda, 1.0 / 3);
  EXPECT_EQ(read->claims->setting.variants[0].until_s, std::nullopt);
  EXPECT_EQ(read->claims->setting.variants[1].until_s, 0.1 + 0.2);
  EXPECT_EQ(read->claims->setting.laws.versions[1].curve.shape, Shape::kPower);
  EXPECT_EQ(read->blocks[2].counts, some_plan().blocks[2].counts);
  EXPECT_EQ(read->claims->usage[1].shares, some_plan().claims->usage[1].shares);
}

TEST(PlanIo, EffectsOfProfileSeedsStayBehind) {
  Plan plan = some_plan();
  plan.claims->setting.laws.seed_effects = {{7, 0.5}};
  EXPECT_EQ(text_of(plan), text_of(some_plan()));
}

TEST(PlanIo, InfeasibleKeepsMissingValues) {
  const std::string text = to_json(Decision(example::infeasible()));
  const Result<Decision> read = decision_from_json("d", text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_FALSE(std::get<Infeasible>(*read).budget);
  EXPECT_EQ(std::get<Infeasible>(*read).deadline_s, 1500);
}

TEST(PlanIo, ErrorsNameTheKeyFoundAndExpected) {
  EXPECT_EQ(
      error_after("\"passes\": 4", "\"passes\": \"4\""),
      "plan.json: plan.blocks[1].passes: found string, expected a count from 0 to 4294967295");
  EXPECT_EQ(
      error_after("\"passes\": 4", "\"passes\": -4"),
      "plan.json: plan.blocks[1].passes: found number, expected a count from 0 to 4294967295");
  EXPECT_EQ(error_after("\"rank\": 1", "\"rank\": 18446744073709551616"),
            "plan.json: plan.claims.setting.laws.versions[1].rank: found number, expected a count");
  EXPECT_EQ(error_after("\"cost_95\"", "\"cost_96\""),
            "plan.json: plan.claims.cost_95: is missing");
  EXPECT_EQ(error_after("\"reason\"", "\"extra\": 1, \"reason\""),
            "plan.json: plan.extra: unknown key");
  EXPECT_THAT(error_after("{", ""),
              EndsWith("found text that is not JSON; expected a plan or a refusal that surety "
                       "recorded"));
  EXPECT_FALSE(decision_from_json("d", "{\"blocks\": []}"));
}

TEST(PlanIo, NumberThatNoDoubleHoldsIsRefused) {
  EXPECT_EQ(error_after("\"lambda\": 0.3333333333333333", "\"lambda\": 1e999"),
            "plan.json: found a number that is too large; expected a "
            "plan or a refusal that surety recorded");
}

TEST(PlanIo, WordsAreRefusedWithTheListOfThem) {
  EXPECT_EQ(error_after("closed-loop", "closed"),
            "plan.json: plan.planner: found \"closed\", expected one of closed-loop, open-loop, "
            "mean, by-hand");
  EXPECT_EQ(
      error_after("\"power\"", "\"cubic\""),
      "plan.json: plan.claims.setting.laws.versions[0].curve.shape: found \"cubic\", expected one "
      "of power, exponential");
}

TEST(PlanIo, PlanThatCouldNotBeExecutedIsRefused) {
  EXPECT_EQ(error_with([](Plan& p) { p.blocks.clear(); }),
            "plan.json: plan.blocks: found none, expected at least one");
  EXPECT_EQ(error_with([](Plan& p) { p.first_block = 3; }),
            "plan.json: plan.first_block: found 3, expected less than 3");
  EXPECT_EQ(error_with([](Plan& p) { p.blocks[1].pass_s = -1; }),
            "plan.json: plan.blocks[1].pass_s: found -1, expected at least 0");
  EXPECT_EQ(
      error_with([](Plan& p) { p.policy.reset(); }),
      "plan.json: plan.policy: found null, expected an object: the plan is a closed-loop one");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->probability = 1.5; }),
            "plan.json: plan.claims.probability: found 1.5, expected a number from 0 to 1");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->bands[2].seconds = 1; }),
            "plan.json: plan.claims.bands[2].seconds: found 1, expected at least 50");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->usage[1].block = 3; }),
            "plan.json: plan.claims.usage[1].block: found 3, expected less than 3");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->usage[1].shares.pop_back(); }),
            "plan.json: plan.claims.usage[1].shares: found 20, expected 21, one for each band");
}

TEST(PlanIo, AForecastThatOverflowsWhenItIsDrawnIsRefused) {
  EXPECT_EQ(
      error_with([](Plan& p) { p.claims->bands[2].q95 = 1e308; }),
      "plan.json: plan.claims.bands[2].q95: found 1e+308, expected a number from -1e300 to 1e300");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->bands.back().seconds = 1e10; }),
            "plan.json: plan.claims.bands[20].seconds: found 10000000000, expected at most 9.2e9 "
            "seconds");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->seconds_95 = 1e300; }),
            "plan.json: plan.claims.seconds_95: found 1e+300, expected at most 9.2e9 seconds");
  EXPECT_EQ(error_with([](Plan& p) { p.claims->cost_95 = 1e308; }),
            "plan.json: plan.claims.cost_95: found 1e+308, expected a number from -1e300 to 1e300");
  EXPECT_EQ(error_with([](Plan& p) { p.stop_metric = -1e308; }),
            "plan.json: plan.stop_metric: found -1e+308, expected a number from -1e300 to 1e300");
}

// The tables of the policy are made from these numbers.
TEST(PlanIo, LawsThatOverflowAreRefused) {
  EXPECT_EQ(error_with([](Plan& p) { p.claims->setting.evaluation_se = 1e308; }),
            "plan.json: plan.claims.setting.evaluation_se: found 1e+308, expected a number from "
            "-1e300 to 1e300");
  EXPECT_EQ(
      error_with([](Plan& p) { p.claims->setting.laws.versions[0].jitter = 1e100; }),
      "plan.json: plan.claims.setting.laws.versions[0].jitter: found 1e+100, expected at most "
      "10 times the drop of the curve");
}

// The library visits nested values recursively.
TEST(PlanIo, APlanThatNestsDeepIsRefused) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_THAT(plan_file_from_json("plan.json", "{\"plan\": " + deep + "}").error().message,
              HasSubstr("nest deeper than 64 levels"));
}

TEST(PlanIo, AKeyThatIsThereTwiceIsRefused) {
  EXPECT_THAT(error_after("\"cost_95\"", "\"cost_mean\": 1, \"cost_95\""),
              HasSubstr("cost_mean: found twice in one object, expected once"));
}

TEST(PlanIo, OtherPlansAndPricesAreInRangeToo) {
  const auto with_other = [](double probability, double cost_mean) {
    return error_with([&](Plan& p) { p.claims->runners_up = {{"other", cost_mean, probability}}; });
  };
  EXPECT_EQ(with_other(0.5, 1), "no error");
  EXPECT_THAT(with_other(1e18, 1), HasSubstr("plan.claims.runners_up[0].probability: found 1e+18"));
  EXPECT_THAT(with_other(0.5, -5), HasSubstr("plan.claims.runners_up[0].cost_mean: found -5"));
  EXPECT_THAT(error_with([](Plan& p) {
                p.claims->prices = {{0.9, -1, 1}};
              }),
              HasSubstr("plan.claims.prices[0].probability: found -1"));
}

TEST(PlanIo, ABlockOfAFixedScheduleHasAPass) {
  Plan plan = example::open_loop_plan();
  plan.blocks[0].passes = 0;
  EXPECT_EQ(error_of(text_of(plan)),
            "plan.json: plan.blocks[0].passes: found 0, expected at least 1");
  // In a closed loop the mean may be less than half a pass.
  EXPECT_EQ(error_with([](Plan& p) { p.blocks[2].passes = 0; }), "no error");
}

TEST(PlanIo, PolicyOutOfRangeIsRefused) {
  const auto error = [](const std::function<void(PolicySpec&)>& change) {
    return error_with([&](Plan& plan) { change(*plan.policy); });
  };
  EXPECT_EQ(error([](PolicySpec& p) { p.levels = 9; }),
            "plan.json: plan.policy.levels: found 9, expected 10 to 2000");
  EXPECT_EQ(error([](PolicySpec& p) { p.ticks = 5001; }),
            "plan.json: plan.policy.ticks: found 5001, expected 1 to 5000");
  EXPECT_EQ(error([](PolicySpec& p) { p.classes = 0; }),
            "plan.json: plan.policy.classes: found 0, expected 1 to 15");
  // 2000 levels * 5001 ticks * 3 blocks = 30 million states.
  EXPECT_EQ(error([](PolicySpec& p) { p.levels = 2000, p.ticks = 5000; }),
            "plan.json: plan.policy.levels: found 2000, expected at most 20000000 states (levels x "
            "ticks x blocks)");
  EXPECT_EQ(error([](PolicySpec& p) { p.lambda = -1; }),
            "plan.json: plan.policy.lambda: found -1, expected at least 0");
}

TEST(PlanIo, SettingOutOfRangeIsRefused) {
  const auto error = [](const std::function<void(Setting&)>& change) {
    return error_with([&](Plan& plan) { change(plan.claims->setting); });
  };
  EXPECT_EQ(error([](Setting& s) { s.variants.pop_back(); }),
            "plan.json: plan.claims.setting.variants: found 2, expected 3, one for each block");
  EXPECT_EQ(error([](Setting& s) { s.variants[2].version = 2; }),
            "plan.json: plan.claims.setting.variants[2].version: found 2, expected less than 2");
  EXPECT_EQ(
      error([](Setting& s) { s.variants[0].price_per_s = -0.1; }),
      "plan.json: plan.claims.setting.variants[0].price_per_s: found -0.1, expected at least 0");
  EXPECT_EQ(error([](Setting& s) { s.variants[0].speed = 0; }),
            "plan.json: plan.claims.setting.variants[0].speed: found 0, expected above 0");
  EXPECT_EQ(
      error([](Setting& s) { s.variants[0].from_s = 2, s.variants[0].until_s = 1; }),
      "plan.json: plan.claims.setting.variants[0].until_s: found 1, expected from_s or later");
  EXPECT_EQ(error([](Setting& s) { s.laws.versions[1].rank = 2; }),
            "plan.json: plan.claims.setting.laws.versions[1].rank: found 2, expected less than 2");
  EXPECT_EQ(
      error([](Setting& s) { s.laws.versions[1].curve.scale = 0; }),
      "plan.json: plan.claims.setting.laws.versions[1].curve.scale: found 0, expected above 0");
  EXPECT_EQ(error([](Setting& s) { s.laws.switches[1].pop_back(); }),
            "plan.json: plan.claims.setting.laws.switches[1]: found 1, expected 2 entries");
  EXPECT_EQ(
      error([](Setting& s) { s.laws.switches[0][1].seconds = -2; }),
      "plan.json: plan.claims.setting.laws.switches[0][1].seconds: found -2, expected at least 0");
  EXPECT_EQ(
      error([](Setting& s) { s.probability = 1; }),
      "plan.json: plan.claims.setting.probability: found 1, expected a number between 0 and 1");
  EXPECT_EQ(error([](Setting& s) { s.deadline_s = 0; }),
            "plan.json: plan.claims.setting.deadline_s: found 0, expected above 0");
}

// Each change makes the file state what no job can be.
TEST(PlanIo, AnImpossibleValueIsRefusedByItsKey) {
  const auto key_after = [](const std::function<void(Claims&)>& change) {
    const std::string error = error_with([&](Plan& plan) { change(*plan.claims); });
    const std::size_t found = error.find(": found ");
    return found == std::string::npos ? error : error.substr(0, found);
  };
  const std::string laws = "plan.json: plan.claims.setting.laws.";
  const std::string setting = "plan.json: plan.claims.setting.";
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.data_fraction = 0; }), laws + "data_fraction");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.data_fraction = 1.5; }),
            laws + "data_fraction");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.effect_variance = -1; }),
            laws + "effect_variance");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.effect_error = -1; }), laws + "effect_error");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.versions[1].fit_error = -1; }),
            laws + "versions[1].fit_error");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.versions[1].stuck_seeds = 21; }),
            laws + "versions[1].stuck_seeds");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.laws.versions[0].time.eval_s = 1e300; }),
            laws + "versions[0].time.eval_s");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.certify_s = 1201; }), setting + "certify_s");
  EXPECT_EQ(key_after([](Claims& c) { c.setting.budget = -1; }), setting + "budget");
  EXPECT_EQ(key_after([](Claims& c) { c.bands[3].q05 = c.bands[3].q50 + 1; }),
            "plan.json: plan.claims.bands[3].q50");
  EXPECT_EQ(key_after([](Claims& c) { c.bands[3].q95 = c.bands[3].q50 - 1; }),
            "plan.json: plan.claims.bands[3].q95");
  EXPECT_EQ(key_after([](Claims& c) { c.support.held_out_successes = 11; }),
            "plan.json: plan.claims.support.held_out_successes");
}

TEST(PlanIo, ANearestPromiseOfARefusalIsPossible) {
  const auto error_of = [](const std::function<void(Infeasible&)>& change) {
    Infeasible infeasible = example::infeasible();
    change(infeasible);
    const auto read = decision_from_json("d", to_json(Decision(infeasible)));
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(error_of([](Infeasible& i) { i.probability = 1.2; }),
            "d: infeasible.probability: found 1.2, expected a number from 0 to 1");
  EXPECT_EQ(error_of([](Infeasible& i) { i.deadline_s = -1; }),
            "d: infeasible.deadline_s: found -1, expected at least 0");
  EXPECT_EQ(error_of([](Infeasible& i) { i.budget = -1; }),
            "d: infeasible.budget: found -1, expected at least 0");
  // The deadline of a refusal may be shorter than the certification takes.
  EXPECT_EQ(error_of([](Infeasible& i) { i.best_effort->claims->setting.certify_s = 1201; }),
            "no error");
}

TEST(PlanIo, BestEffortIsCheckedToo) {
  Infeasible infeasible = example::infeasible();
  infeasible.best_effort->first_block = 9;
  const auto read = decision_from_json("d", to_json(Decision(infeasible)));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "d: infeasible.best_effort.first_block: found 9, expected less than 2");
}

}  // namespace plan_io_test
}  // namespace surety::plan
