#include "plan/check/plan_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "plan/check/check_testing.h"
#include "plan/planner/make_plan.h"

namespace surety::plan::check {
namespace plan_check_test {

using namespace testing_plans;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

plan::Instance instance_of(const plan::synthetic::Spec& spec) {
  plan::Instance instance = plan::synthetic::make_instance(spec, 0.6, 300);
  instance.promise.probability = 0.9;
  return instance;
}

// A plan made by the planner, over three versions, with noise and a run effect.
Case planned(plan::Planner planner, double probability = 0.9, double metric_se = 0) {
  plan::synthetic::Spec spec = plan::synthetic::three_versions();
  spec.seeds = 20;
  spec.run_effect = 0.1;
  for (auto& version : spec.versions) version.noise = 0.2;
  spec.time_sd = 0.1;
  spec.metric_se = metric_se;
  plan::PlanOptions options = check_options();
  options.planner = planner;
  if (planner != plan::Planner::kClosedLoop) options.simulated_runs = kScheduleRuns;
  Case out{instance_of(spec), {}};
  out.instance.promise.probability = probability;
  const auto decision =
      plan::make_plan(out.instance, plan::synthetic::draw_profile(spec, 1), options);
  if (!decision || !std::holds_alternative<plan::Plan>(*decision)) {
    ADD_FAILURE() << "no plan";
    return out;
  }
  out.plan = std::get<plan::Plan>(*decision);
  return out;
}

const Case& closed_loop() {
  static const Case kCase = planned(plan::Planner::kClosedLoop);
  return kCase;
}

// The errors that are found after a change.
std::vector<std::string> found_after(const std::function<void(Case&)>& change) {
  Case changed = closed_loop();
  change(changed);
  return errors_of(changed);
}

TEST(PlanCheck, ClosedLoopPlanIsFoundAgain) { EXPECT_THAT(errors_of(closed_loop()), IsEmpty()); }

TEST(PlanCheck, AClosedLoopPlanWhoseQuantilesAreBelowTheMedianIsRefused) {
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->cost_95 = 0.8 * c.plan.claims->cost_mean; }),
              ElementsAre(StartsWith("cost_95: ")));
  EXPECT_THAT(
      found_after([](Case& c) { c.plan.claims->seconds_95 = 0.8 * c.plan.claims->seconds_mean; }),
      ElementsAre(StartsWith("seconds_95: ")));
}

// Stopping with the promised chance of success is enough, even if training on would reach more.
TEST(PlanCheck, APlanThatStopsWithThePromisedChanceIsFoundAgain) {
  const Case modest = planned(plan::Planner::kClosedLoop, 0.7, 0.015);
  EXPECT_LT(modest.plan.claims->probability, 0.9);
  EXPECT_THAT(errors_of(modest), IsEmpty());
}

struct Job {
  std::string name;
  plan::synthetic::Spec spec;
  double deadline_s;
  double probability;
  double target;
};

// Jobs in which each part of the planner matters. scripts/mutants breaks these parts one after
// another.
std::vector<Job> different_jobs() {
  std::vector<Job> jobs;
  const auto add = [&](std::string name, double deadline_s) -> plan::synthetic::Spec& {
    jobs.push_back({std::move(name), noisy_versions(0.2), deadline_s, 0.8, 0.6});
    return jobs.back().spec;
  };
  add("a tight deadline", 150);
  add("checkpoints measured with an error", 190).metric_se = 0.02;
  add("runs that differ much", 190).run_effect = 0.3;
  auto& slow = add("switches that take time", 230);
  slow.switch_s = 10;
  slow.metric_se = 0.02;
  add("switches that make the model worse", 170).jump = 1.1;

  // The cheap version cannot reach the target, so that each run switches.
  auto& two = add("a switch that nobody can avoid", 200);
  two.versions = {{.name = "full", .floor = 0.3, .pass_s = 10, .noise = 0.1},
                  {.name = "prune:0.75", .floor = 0.55, .pass_s = 1, .noise = 0.1}};
  two.jump = 1.25;
  jobs.back().target = 0.55;

  // So many runs miss the deadline that the differences between passes matter.
  auto& late = add("passes that differ much", 155);
  late = noisy_versions(0.6);
  late.run_effect = 0;
  late.jump = 1.03;
  jobs.back().probability = 0.4;
  return jobs;
}

TEST(PlanCheck, PlansOfDifferentJobsAreFoundAgain) {
  for (const Job& job : different_jobs()) {
    plan::Instance instance = plan::synthetic::make_instance(job.spec, job.target, job.deadline_s);
    instance.promise.probability = job.probability;
    plan::PlanOptions options = check_options();
    options.planner = plan::Planner::kClosedLoop;
    const auto decision =
        plan::make_plan(instance, plan::synthetic::draw_profile(job.spec, 1), options);
    ASSERT_TRUE(decision.has_value()) << job.name;
    ASSERT_TRUE(std::holds_alternative<plan::Plan>(*decision)) << job.name;
    EXPECT_THAT(errors_of({instance, std::get<plan::Plan>(*decision)}, {}), IsEmpty()) << job.name;
  }
}

const Case& fixed(plan::Planner planner = plan::Planner::kOpenLoop) {
  static const Case kOpenLoop = planned(plan::Planner::kOpenLoop);
  static const Case kMean = planned(plan::Planner::kMean);
  return planner == plan::Planner::kMean ? kMean : kOpenLoop;
}

// The errors that are found after a change of a fixed schedule.
std::vector<std::string> found_in_fixed(const std::function<void(Case&)>& change) {
  Case changed = fixed();
  change(changed);
  return errors_of(changed);
}

TEST(PlanCheck, APlanByHandMakesNoClaimsAndItsNodesMustExist) {
  Case hand = closed_loop();
  hand.plan = {};
  hand.plan.planner = plan::Planner::kByHand;
  hand.plan.blocks = {{.version = "full", .passes = 3}};
  const plan::NodeType& type = hand.instance.nodes.front();
  hand.plan.blocks[0].counts = {{type.name, type.count}};
  EXPECT_THAT(errors_of(hand), IsEmpty());
  hand.plan.blocks[0].counts = {{type.name, type.count + 1}};
  EXPECT_THAT(errors_of(hand), ElementsAre(HasSubstr("but there are")));
  hand.plan.blocks[0].counts = {{"unknown", 1}};
  EXPECT_THAT(errors_of(hand), ElementsAre(HasSubstr("no nodes are of type unknown")));
}

TEST(PlanCheck, FixedPlansAreInOrder) {
  for (const plan::Planner planner : {plan::Planner::kOpenLoop, plan::Planner::kMean}) {
    EXPECT_THAT(errors_of(fixed(planner)), IsEmpty());
  }
}

TEST(PlanCheck, FixedPlansOfDifferentJobsAreFoundAgain) {
  for (const Job& job : different_jobs()) {
    for (const plan::Planner planner : {plan::Planner::kOpenLoop, plan::Planner::kMean}) {
      for (const double jitter : {0.0, 0.02}) {
        plan::synthetic::Spec spec = job.spec;
        spec.jitter = jitter;
        plan::Instance instance = plan::synthetic::make_instance(spec, job.target, job.deadline_s);
        instance.promise.probability = job.probability;
        instance.nodes[0].preemptions_per_s = 0.002;
        instance.nodes[0].restart_s = 5;
        instance.nodes[0].straggle_sd = 0.1;
        plan::PlanOptions options = check_options();
        options.planner = planner;
        const auto decision =
            plan::make_plan(instance, plan::synthetic::draw_profile(spec, 1), options);
        ASSERT_TRUE(decision.has_value()) << job.name;
        const CheckOptions check{.planner_runs = options.simulated_runs};
        const auto* plan = std::get_if<plan::Plan>(&*decision);
        const std::vector<std::string> errors =
            plan != nullptr
                ? check_plan(instance, *plan, check)
                : check_closest(instance, *std::get<plan::Infeasible>(*decision).best_effort,
                                check);
        EXPECT_THAT(errors, IsEmpty()) << job.name << ", jitter " << jitter;
      }
    }
  }
}

TEST(PlanCheck, AChangedNumberOfAFixedScheduleIsFound) {
  EXPECT_THAT(found_in_fixed([](Case& c) {
                c.plan.claims->probability = 0.96;
                c.plan.claims->probability_lower = c.plan.claims->support.percentile = 0.955;
              }),
              Contains(StartsWith("probability: 0.9600, but the check finds")));
  EXPECT_THAT(found_in_fixed([](Case& c) {
                c.plan.claims->cost_mean *= 0.9;
                for (plan::Usage& usage : c.plan.claims->usage) usage.cost_mean *= 0.9;
                c.plan.claims->seconds_mean *= 0.9;
              }),
              Contains(StartsWith("cost_mean:")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->cost_95 *= 0.9; }),
              Contains(StartsWith("cost_95:")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->seconds_95 *= 0.9; }),
              Contains(StartsWith("seconds_95:")));
  EXPECT_THAT(found_in_fixed([](Case& c) {
                for (plan::Block& block : c.plan.blocks) *block.price_per_s *= 0.5;
                for (plan::Variant& variant : c.plan.claims->setting.variants)
                  variant.price_per_s *= 0.5;
                c.instance.nodes[0].price_per_s *= 0.5;
              }),
              Contains(StartsWith("cost_mean:")));
}

TEST(PlanCheck, AChangedBandOfAFixedScheduleIsFound) {
  const std::size_t middle = fixed().plan.claims->bands.size() / 2;
  const std::string key = "bands[" + std::to_string(middle) + "].";
  EXPECT_THAT(found_in_fixed([&](Case& c) {
                plan::Band& band = c.plan.claims->bands[middle];
                band.q95 = band.q50;
              }),
              Contains(StartsWith(key + "q95:")));
  EXPECT_THAT(found_in_fixed([&](Case& c) {
                plan::Band& band = c.plan.claims->bands[middle];
                band.q05 = band.q50;
              }),
              Contains(StartsWith(key + "q05:")));
  EXPECT_THAT(found_in_fixed([&](Case& c) {
                for (plan::Band& band : c.plan.claims->bands) {
                  band.q05 *= 0.9, band.q50 *= 0.9, band.q95 *= 0.9;
                }
              }),
              Contains(StartsWith(key + "q50:")));
}

TEST(PlanCheck, ChangedLawsOfAFixedScheduleAreFound) {
  EXPECT_THAT(found_in_fixed([](Case& c) {
                for (plan::VersionLaw& law : c.plan.claims->setting.laws.versions) law.rate *= 0.8;
              }),
              Contains(StartsWith("cost_mean:")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.blocks[0].version = "other"; }),
              Contains(StartsWith("blocks[0].version: the job has no version other")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->setting.variants.pop_back(); }),
              Contains(StartsWith("setting.variants: ")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->setting.data_price = 1; }),
              Contains(StartsWith("setting.data_price: 1, but the data costs 0")));
}

TEST(PlanCheck, LawsOfAnotherPromiseAreFound) {
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->setting.target *= 1.1; }),
              Contains(StartsWith("setting.target: ")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->setting.probability = 0.5; }),
              Contains(StartsWith("setting.probability: 0.5, but 0.9 is promised")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->setting.deadline_s += 1; }),
              Contains(StartsWith("setting.deadline_s: 301, but 300 is promised")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->setting.budget = 100; }),
              Contains(StartsWith("setting.budget: a number, but the promise has none")));
  for (const std::uint32_t passes : {399u, 401u}) {
    EXPECT_THAT(found_in_fixed([&](Case& c) { c.plan.claims->setting.passes_max = passes; }),
                Contains(fmt::format("setting.passes_max: {}, but the job allows 400", passes)));
  }
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.stop_metric *= 1.01; }),
              Contains(StartsWith("stop_metric: ")));
  EXPECT_THAT(found_in_fixed([](Case& c) { c.plan.claims->support.seeds = 0; }),
              Contains(StartsWith("support.seeds: 0, but the laws were measured with 20")));
}

// A deadline at a point in time leaves less of it than when the plan was made.
TEST(PlanCheck, LessTimeMayBeLeftUntilAPointInTime) {
  Case later = fixed();
  later.instance.promise.deadline_s -= 10;
  EXPECT_THAT(errors_of(later), Contains(StartsWith("setting.deadline_s: ")));
  CheckOptions options = quick();
  options.deadline_is_point_in_time = true;
  EXPECT_THAT(errors_of(later, options), IsEmpty());
}

TEST(PlanCheck, ClaimsThatAreTooGoodAreFound) {
  for (const double part : {0.8, 0.88}) {
    EXPECT_THAT(found_after([&](Case& c) {
                  c.plan.claims->cost_mean *= part;
                  for (plan::Usage& usage : c.plan.claims->usage) usage.cost_mean *= part;
                  c.plan.claims->seconds_mean *= part;
                }),
                Contains(StartsWith("cost_mean:")))
        << part;
  }
  EXPECT_THAT(found_after([](Case& c) {
                for (plan::VersionLaw& law : c.plan.claims->setting.laws.versions) law.rate *= 0.5;
              }),
              // If checkpoints jitter, cost and success are judged together.
              Contains(AnyOf(StartsWith("probability:"), HasSubstr("at probability 1.0000"))));
}

TEST(PlanCheck, NodesThatAreNotThereAreFound) {
  EXPECT_THAT(found_after([](Case& c) { c.plan.blocks[0].nodes = 9; }),
              Contains(StartsWith("blocks[0].nodes: 9, but the job has 4")));
  EXPECT_THAT(found_after([](Case& c) {
                c.plan.blocks[0].counts = {{"cloud", 4}};
              }),
              Contains(StartsWith("blocks[0].counts: no nodes are of type cloud")));
  EXPECT_THAT(found_after([](Case& c) {
                c.plan.blocks[0].counts = {{"local", 5}};
              }),
              Contains(StartsWith("blocks[0].counts: 5 local, but there are 4")));
  EXPECT_THAT(found_after([](Case& c) {
                c.plan.blocks[0].counts = {{"local", 2}, {"local", 2}};
              }),
              Contains(StartsWith("blocks[0].counts: local is listed twice")));
  EXPECT_THAT(found_after([](Case& c) {
                c.plan.blocks[0].counts = {{"local", 3}};
              }),
              Contains(StartsWith("blocks[0].nodes: 4, but counts sum to 3")));
}

TEST(PlanCheck, NodesWithoutMemoryAreFound) {
  EXPECT_THAT(found_after([](Case& c) {
                c.plan.blocks[0].counts = {{"local", 4}};
                c.instance.nodes[0].memory_bytes = 100;
                c.instance.memory_bytes[c.plan.blocks[0].version] = 101;
              }),
              Contains(StartsWith("blocks[0].counts: local has 100 bytes of memory")));
}

TEST(PlanCheck, BlocksThatAreNotThePolicysAreFound) {
  EXPECT_THAT(found_after([](Case& c) { c.plan.blocks[0].version = "other"; }),
              Contains(StartsWith("blocks[0].version: the job has no version other")));
  EXPECT_THAT(found_after([](Case& c) { *c.plan.blocks[0].price_per_s *= 2; }),
              Contains(StartsWith("blocks[0].price_per_s:")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.blocks.pop_back(); }),
              Contains(StartsWith("setting.variants: 3, but there are 2 blocks")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.policy.reset(); }),
              Contains(StartsWith("policy: is missing")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.first_block = 3; }),
              Contains(StartsWith("first_block: 3, but there are 3 blocks")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->setting.laws.versions[1].rank = 2; }),
              Contains(StartsWith("setting.laws.versions[1].rank: 2")));
}

TEST(PlanCheck, NodesOfAnotherPriceAreFound) {
  EXPECT_THAT(found_after([](Case& c) {
                for (std::size_t i = 0; i < c.plan.blocks.size(); ++i) {
                  c.plan.blocks[i].counts = {{"local", 4}};
                  c.plan.claims->setting.variants[i].counts = {{"local", 4}};
                }
                c.instance.nodes[0].price_per_s *= 2;
              }),
              Contains(StartsWith("setting.variants[0].price_per_s:")));
}

TEST(PlanCheck, DataThatIsNotThereOrNotPaidIsFound) {
  EXPECT_THAT(found_after([](Case& c) { c.plan.data = {"nowhere"}; }),
              Contains(StartsWith("data[0]: the job has no data set nowhere")));
  const plan::DataSet set{.name = "a", .site = {}, .price = 3, .label_histogram = {}};
  EXPECT_THAT(found_after([&](Case& c) {
                c.instance.data = {set};
                c.plan.data = {"a"};
              }),
              Contains(StartsWith("setting.data_price: 0, but the data costs 3")));
}

TEST(PlanCheck, ForecastThatIsNotInOrderIsFound) {
  EXPECT_THAT(found_after([](Case& c) {
                std::swap(c.plan.claims->bands[3].q05, c.plan.claims->bands[3].q95);
              }),
              Contains(StartsWith("bands[3]:")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->bands[3].seconds = 0; }),
              Contains(StartsWith("bands[3].seconds:")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->usage[0].cost_mean += 1; }),
              Contains(StartsWith("cost_mean:")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->usage[0].shares.assign(99, 1.5); }),
              Contains(StartsWith("usage: shares sum to 1.5")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->usage.push_back(c.plan.claims->usage[0]); }),
              Contains(StartsWith("usage[")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->seconds_mean *= 3; }),
              Contains(StartsWith("cost_mean:")));
}

TEST(PlanCheck, PromiseThatIsNotKeptIsFound) {
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->probability = 0.89; }),
              Contains(StartsWith("probability: 0.89 is below the promised 0.9")));
  EXPECT_THAT(found_after([](Case& c) { c.instance.promise.budget = c.plan.claims->cost_95 / 2; }),
              Contains(StartsWith("cost_95:")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->probability_lower = 1.01; }),
              Contains(StartsWith("probability_lower: 1.01")));
}

TEST(PlanCheck, AnAssumptionHoldsIfItsNumbersSaySo) {
  const auto flipped = [](const std::string& name) {
    return found_in_fixed([&](Case& c) {
      for (plan::Assumption& one : c.plan.claims->assumptions) {
        if (one.name == name) one.passed = !one.passed;
      }
    });
  };
  for (const char* name : {"enough seeds", "curves follow a law", "profile supports the promise"}) {
    EXPECT_THAT(flipped(name), ElementsAre(AllOf(StartsWith("assumptions["), HasSubstr(name))));
  }
}

TEST(PlanCheck, PriceOfDependabilityMustRise) {
  EXPECT_THAT(
      found_after([](Case& c) {
        c.plan.claims->prices = {{0.8, 0.9, 5}, {0.9, 0.95, 4}};
      }),
      Contains(StartsWith("prices[1].cost_mean: 4 is below 5, the cost of a lower probability")));
  EXPECT_THAT(found_after([](Case& c) {
                c.plan.claims->prices = {{0.9, 0.9, 5}, {0.8, 0.95, 6}};
              }),
              Contains(StartsWith("prices[1].promised:")));
}

TEST(PlanCheck, SupportBeyondItsLimitIsFound) {
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->support.held_out_limit = 0.999; }),
              Contains(StartsWith("support.held_out_limit: 0.999")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->support.held_out = 0.9999; }),
              Contains(StartsWith("support.held_out: 0.9999 is above the limit")));
  EXPECT_THAT(found_after([](Case& c) { c.plan.claims->support.seeds = 7; }),
              Contains(HasSubstr("7 seeds show at most 0.905")));
  EXPECT_THAT(found_after([](Case& c) {
                BoundKind& binding = c.plan.claims->support.binding;
                binding = binding == BoundKind::kLearnThenTest ? BoundKind::kPercentileMargin
                                                               : BoundKind::kLearnThenTest;
              }),
              Contains(StartsWith("support.binding: ")));
}

}  // namespace plan_check_test
}  // namespace surety::plan::check
