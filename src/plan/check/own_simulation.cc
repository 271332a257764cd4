#include "plan/check/own_simulation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/random.h"
#include "plan/check/own_evidence.h"
#include "plan/check/own_laws.h"

namespace surety::plan::check {
namespace {

// A run and its belief about itself.
struct Run {
  const plan::Setting& setting;
  Random random;
  std::size_t variant = 0;
  double effect = 0;
  double stuck_quantile = 1;
  double seconds = 0;
  double cost = 0;
  double metric = 0;
  double progress = 0;
  double shown = 0;  // Metric of the last checkpoint.
  double best = 0;   // The lowest metric of a checkpoint.
  std::uint32_t passes = 0;
  std::uint32_t passes_in_block = 0;
  OwnEvidence evidence;
  Course course;

  Run(const plan::Setting& world, std::size_t first, Random own)
      : setting(world), random(own), variant(first) {
    effect = world.laws.run_effect * random.normal();
    stuck_quantile = random.uniform();
    cost = world.data_price;
    metric = shown = best = law().curve.floor + law().curve.scale;
    course.seen.push_back({seconds, shown});
  }

  [[nodiscard]] const plan::VersionLaw& law() const { return law_of(variant); }
  [[nodiscard]] const plan::VersionLaw& law_of(std::size_t other) const {
    return setting.laws.versions[setting.variants[other].version];
  }

  void spend(double s) {
    seconds += s;
    cost += s * setting.variants[variant].price_per_s;
  }

  // The job ends at the deadline, even during a pass. Such a pass yields no metric.
  void pass() {
    const double pass_s = draw_pass_s(law(), setting.variants[variant], random);
    const double left = std::max(setting.deadline_s - seconds, 0.0);
    passes += 1;
    passes_in_block += 1;
    spend(std::min(pass_s, left));
    if (pass_s > left) return;
    if (stuck_quantile < law().stuck_share) {
      evidence.add_stuck_pass(law());
      return show();
    }
    const double step = law().rate * std::exp(effect) * (1 + law().noise * random.normal());
    progress += step;
    metric = metric_after(law(), progress);
    evidence.add_pass(law(), step);
    show();
  }

  void show() {
    shown = metric + law().jitter * random.normal();
    best = std::min(best, shown);
    course.seen.push_back({seconds, shown});
  }

  void switch_to(std::size_t to) {
    const double s = switch_s(setting, variant, to);
    const bool same_law = setting.variants[variant].version == setting.variants[to].version;
    if (!same_law) metric = jump(setting, variant, to, metric, random.normal());
    variant = to;
    passes_in_block = 0;
    spend(s);
    if (!same_law) progress = progress_at(law().curve, metric);
  }

  // Certifies the last checkpoint if the run stopped for it, otherwise the best one.
  bool certify(bool stopped_for_it) {
    spend(setting.certify_s);
    const double kept = stopped_for_it ? shown : best;
    const double certified = kept + std::sqrt(2.0) * setting.evaluation_se * random.normal();
    return seconds <= setting.deadline_s && certified <= setting.target;
  }
};

// Returns the next variant; none means stop.
using Rule = std::function<std::optional<std::size_t>(const Run&)>;

struct Behaviour {
  Rule next;
  // Whether a run stopped because its last checkpoint met the stop metric.
  std::function<bool(const Run&)> stopped_for_it;
  std::function<void(const Course&)> at_end;
};

// The mean of a number, and the standard error of this mean.
class Mean {
 public:
  void add(double value) {
    count_ += 1;
    sum_ += value;
    squares_ += value * value;
  }
  [[nodiscard]] double value() const { return sum_ / count_; }
  [[nodiscard]] double se() const {
    return std::sqrt(std::max(0.0, squares_ / count_ - value() * value()) / count_);
  }

 private:
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

Found simulate(const plan::Setting& setting, std::size_t first, const Behaviour& behaviour,
               std::uint32_t runs, std::uint64_t seed) {
  double successes = 0;
  Mean cost;
  Mean seconds;
  for (std::uint32_t i = 0; i < runs; ++i) {
    Run run(setting, first, Random(seed).fork("run", i));
    bool is_at_limit = false;
    while (const std::optional<std::size_t> next = behaviour.next(run)) {
      is_at_limit = run.passes >= std::min(setting.passes_max, plan::kSimulatedPassesMax);
      if (is_at_limit) break;
      if (*next != run.variant) run.switch_to(*next);
      run.pass();
    }
    successes += run.certify(!is_at_limit && behaviour.stopped_for_it(run)) ? 1 : 0;
    cost.add(run.cost);
    seconds.add(run.seconds);
    run.course.cost = run.cost;
    run.course.seconds = run.seconds;
    behaviour.at_end(run.course);
  }
  Found found;
  found.probability = successes / runs;
  // Laplace's estimate, so that without any success the standard error is not 0.
  const double p = (successes + 1) / (runs + 2);
  found.probability_se = std::sqrt(p * (1 - p) / runs);
  found.cost = cost.value();
  found.cost_se = cost.se();
  found.seconds = seconds.value();
  found.seconds_se = seconds.se();
  return found;
}

}  // namespace

Found simulate_greedy(const plan::Setting& setting, const OwnSolver& solver, std::size_t first,
                      std::uint32_t runs, std::uint64_t seed, OwnForecast& forecast) {
  const Rule rule = [&](const Run& run) -> std::optional<std::size_t> {
    if (run.passes == 0) return run.variant;  // The first block is the plan's choice.
    struct Choice {
      std::optional<std::size_t> to;
      double value;
      double success;
    };
    const double certified = chance_certified(setting, run.shown);
    std::vector<Choice> choices{{std::nullopt, -solver.goal().lambda * certified, certified}};
    for (std::size_t to = 0; to < setting.variants.size(); ++to) {
      if (to != run.variant && !may_switch(setting, run.variant, to)) continue;
      const double s = to == run.variant ? 0 : switch_s(setting, run.variant, to);
      const double cost = s * setting.variants[to].price_per_s;
      if (setting.budget && run.cost + cost + solver.pass_cost(to) > *setting.budget) continue;
      const auto value = solver.pass(run.variant, to, run.seconds + s, run.metric,
                                     run.evidence.effect(setting.laws.run_effect));
      if (!value.is_possible) continue;
      const double learns = run.evidence.learns(run.law_of(to));
      choices.push_back({to, cost + learns * value.value + (1 - learns) * solver.pass_cost(to),
                         learns * value.success});
    }
    double most = 0;
    for (const Choice& choice : choices) most = std::max(most, choice.success);
    const Choice* best = nullptr;
    for (const Choice& choice : choices) {
      const bool allowed = solver.allows(!choice.to.has_value(), choice.success, most);
      if (allowed && (best == nullptr || choice.value < best->value)) best = &choice;
    }
    return best->to;
  };
  const auto stopped_for_it = [&](const Run& run) {
    return chance_certified(setting, run.shown) >= 0.5;
  };
  return simulate(setting, first,
                  {.next = rule,
                   .stopped_for_it = stopped_for_it,
                   .at_end = [&](const Course& course) { forecast.add(course); }},
                  runs, seed);
}

Found simulate_schedule(const plan::Setting& setting, const plan::Plan& plan, std::uint32_t runs,
                        std::uint64_t seed, OwnForecast& forecast) {
  std::size_t block = 0;
  const Rule rule = [&](const Run& run) -> std::optional<std::size_t> {
    if (run.passes == 0) block = 0;
    if (run.shown <= plan.stop_metric) return std::nullopt;
    const double left = setting.deadline_s - setting.certify_s - run.seconds;
    const auto fits = [&](const plan::Block& next, double s) {
      return left >= s && (!setting.budget || run.cost + s * *next.price_per_s <= *setting.budget);
    };
    if (run.passes_in_block >= plan.blocks[block].passes && block + 1 < plan.blocks.size()) {
      const plan::Block& next = plan.blocks[block + 1];
      if (fits(next, *next.switch_s + *next.pass_s)) return ++block;
    }
    if (left <= 0 || !fits(plan.blocks[block], *plan.blocks[block].pass_s)) return std::nullopt;
    return block;
  };
  return simulate(setting, 0,
                  {.next = rule,
                   .stopped_for_it = [&](const Run& run) { return run.shown <= plan.stop_metric; },
                   .at_end = [&](const Course& course) { forecast.add(course); }},
                  runs, seed);
}

}  // namespace surety::plan::check
