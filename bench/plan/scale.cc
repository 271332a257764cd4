// Measures the time of planning with very many data sets and node types, and during a job.
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "measures.h"
#include "plan/plan_options.h"
#include "plan/planner/controller.h"
#include "plan/planner/make_plan.h"
#include "test/support/base/posix/cpu_time.h"
#include "truth.h"

namespace surety::bench {
namespace {

using namespace plan;

constexpr double kDeadline_s = 360;

// Many sites with a few labels each, and many node types from slow and cheap to fast and expensive.
Instance big_instance(const Truth& truth, std::size_t count) {
  Instance instance = instance_of(truth, kDeadline_s, 0.9);
  Random random(11);
  instance.nodes.clear();
  for (std::size_t i = 0; i < count; ++i) {
    DataSet set;
    set.name = "set" + std::to_string(i);
    set.site = "site" + std::to_string(i % 997);
    set.samples = 10 + random.below(200);
    set.bytes = 3000 * set.samples;
    for (int k = 0; k < 3; ++k) {
      set.label_histogram[static_cast<int>(random.below(10))] += set.samples / 3 + 1;
    }
    set.price = 1e-4 * random.uniform() / static_cast<double>(count);
    instance.data.push_back(set);
    NodeType type{.name = "type" + std::to_string(i), .count = 1};
    type.speed_factor = 0.5 + random.uniform();
    const bool spot = i % 2 == 1;
    type.price_per_s = type.speed_factor * (0.8 + 0.4 * random.uniform()) * (spot ? 0.35 : 1);
    type.preemptions_per_s = spot ? 0.012 : 0;
    type.restart_s = 10;
    type.straggle_sd = 0.1;
    instance.nodes.push_back(type);
  }
  return instance;
}

// Adds the same measurements on half of the data, with which the model learns a little slower.
Profile with_less_data(const Truth& truth, std::uint64_t seed) {
  Profile profile = draw_profile(truth, seed);
  Truth half = truth;
  half.spec.data_fraction = 0.5;
  for (auto& version : half.spec.versions) version.rate = 0.7, version.pass_s /= 2;
  const Profile less = draw_profile(half, seed);
  profile.curves.insert(profile.curves.end(), less.curves.begin(), less.curves.end());
  return profile;
}

struct Timed {
  double seconds = 0;
  std::string what;
};

Timed time_plan(const Truth& truth, std::size_t count, const PlanOptions& options) {
  const Instance instance = big_instance(truth, count);
  const Profile profile = with_less_data(truth, 3);
  const double begin_s = posix::process_cpu_seconds();
  const Result<Decision> decision = make_plan(instance, profile, options);
  const double seconds = posix::process_cpu_seconds() - begin_s;
  SURETY_CHECK(decision.has_value());
  const Plan* plan = std::get_if<Plan>(&*decision);
  if (plan == nullptr) return {seconds, "refused: " + std::get<Infeasible>(*decision).reason};
  return {seconds, fmt::format("{} data sets, {} blocks, cost {:.1f}, success {:.3f} (at least "
                               "{:.3f})",
                               plan->data.size(), plan->blocks.size(), plan->claims->cost_mean,
                               plan->claims->probability, plan->claims->probability_lower)};
}

Plan small_plan(const Truth& truth, const PlanOptions& options) {
  const auto decision =
      make_plan(instance_of(truth, kDeadline_s, 0.9), draw_profile(truth, 3), options);
  SURETY_CHECK(decision.has_value());
  const Plan* plan = std::get_if<Plan>(&*decision);
  return plan != nullptr ? *plan : *std::get<Infeasible>(*decision).best_effort;
}

}  // namespace

void measure_scale(const Options& options, Report& report) {
  if (!options.wants("scale_1e5")) return;
  const Truth truth = planners_truth(options.quick ? 6 : 20, 3);
  const PlanOptions plan = options.quick ? PlanOptions{.simulated_runs = 200,
                                                       .levels = 24,
                                                       .ticks = 40,
                                                       .classes = 3,
                                                       .worlds = 10}
                                         : PlanOptions{};
  const std::vector<std::size_t> counts = options.quick
                                              ? std::vector<std::size_t>{100, 1000}
                                              : std::vector<std::size_t>{1000, 10'000, 100'000};
  std::vector<double> seconds;
  for (const std::size_t count : counts) {
    const Timed timed = time_plan(truth, count, plan);
    seconds.push_back(timed.seconds);
    print_line("scale_1e5", "{} data sets and node types: {:.2f} CPU s; {}", count, timed.seconds,
               timed.what);
  }
  const std::size_t last = counts.size() - 1;
  print_line("scale_1e5", "growth exponent {:.2f} over the last factor of ten",
             std::log10(seconds[last] / seconds[last - 1]));
  report.add({"scale_1e5", "CPU s", {seconds[last]}, {{"allowed", {10}}}, false});
}

void measure_replan(const Options& options, Report& report) {
  if (!options.wants("replan")) return;
  const Truth truth = planners_truth(20, 3);
  PlanOptions small{.simulated_runs = 200, .worlds = 10};
  if (options.quick) small.levels = 24, small.ticks = 40, small.classes = 3;
  const Plan plan = small_plan(truth, small);
  std::vector<double> replans_ms;
  for (int run = 0; run < (options.quick ? 1 : 5); ++run) {
    Controller controller(plan);
    // Passes that take twice the time and improve nothing.
    double seconds = 0;
    for (std::uint32_t pass = 1; pass <= 30; ++pass) {
      const Block& block = plan.blocks[plan.first_block];
      seconds += 2 * *block.pass_s;
      const double begin_s = posix::process_cpu_seconds();
      controller.observe({plan.first_block, seconds, 2 * *block.pass_s, 2.2, 0});
      const double took_s = posix::process_cpu_seconds() - begin_s;
      if (!controller.take_remark()) continue;
      replans_ms.push_back(1e3 * took_s);
      if (run == 0) print_line("replan", "after {} slow passes", pass);
      break;
    }
  }
  if (replans_ms.empty()) return print_line("replan", "no drift was noticed");
  report.add({"replan", "ms of CPU", replans_ms, {{"allowed", {100}}}, false});
}

}  // namespace surety::bench
