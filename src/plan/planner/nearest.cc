#include "plan/planner/nearest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/check.h"
#include "base/statistics.h"
#include "base/words.h"
#include "plan/decision/hindsight.h"
#include "plan/schedules/certify.h"

namespace surety::plan {
namespace {

constexpr double kRatio = 1.02;  // Precision to which deadline and target are found.
constexpr double kProbabilityStep = 0.005;
constexpr int kDoublings = 12;  // Doublings of the deadline, up to 4096 times the promised one.
constexpr int kRounds = 2;  // Runs of the whole search, each for a goal that is one step nearer.
// Steps that are checked in full, from the result of the quick search on. Because of its noise,
// that result is off by fewer steps than these.
constexpr int kWalk = 6;

// Runs of a simulation, in stages. Most candidates are far from the promise and are dropped early.
constexpr std::uint32_t kStages[] = {64, 1000};

// Rounds up to four digits.
double round_up(double value) { return value > 0 ? digits_up(value, 4) : value; }

// Counts the steps from a promise to one that can be kept.
class StepSearch {
 public:
  virtual ~StepSearch() = default;
  // With `in_full`, the check is the same as for a plan with that promise. Otherwise it is a quick
  // one.
  [[nodiscard]] virtual bool is_feasible(const Goal& goal, bool in_full) = 0;

  // The least number of steps from the promise to a goal `at(steps)` that can be kept.
  using At = std::function<Goal(double)>;
  [[nodiscard]] virtual std::optional<double> least_steps(double steps_max, const At& at) {
    if (steps_max < 1) return std::nullopt;
    double low = 0;
    double high = 1;
    while (!is_feasible(at(high), false)) {
      if (high >= steps_max) return std::nullopt;
      low = high;
      high = std::min(2 * high, steps_max);
    }
    return confirm(bisect(low, high, at), steps_max, at);
  }

 protected:
  // Confirms the result of the quick search, from `steps` on.
  [[nodiscard]] virtual std::optional<double> confirm(double steps, double steps_max,
                                                      const At& at) {
    return walk(steps, steps_max, at);
  }

  // Bisects between steps that are not feasible and steps that are.
  double bisect(double low, double high, const At& at, bool in_full = false) {
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (is_feasible(at(middle), in_full) ? high : low) = middle;
    }
    return high;
  }

  // Checks the result of the quick search, and a few more steps, in full.
  std::optional<double> walk(double steps, double steps_max, const At& at) {
    for (int i = 0; i < kWalk && steps <= steps_max; ++i, ++steps) {
      if (is_feasible(at(steps), true)) return steps;
    }
    return std::nullopt;
  }
};

// Whether any candidate keeps a promise; the cheapest one is not needed. Candidates are the basic
// schedules and the best of each kind for the original promise.
class Feasibility : public StepSearch {
 public:
  Feasibility(const Problem& problem, const Solved& solved) : problem_(problem), coarse_(problem) {
    coarse_.options.levels = std::max(problem.options.levels / 2, 2u);
    known_.push_back({solved.best_effort.choice, solved.best_effort.schedule});
    for (const Solution& other : solved.others) known_.push_back({other.choice, other.schedule});
  }

  [[nodiscard]] bool is_feasible(const Goal& goal, bool in_full) override {
    std::vector<Setting> settings;
    for (const DataLaws& choice : problem_.choices) {
      settings.push_back(make_setting(problem_, choice, goal));
    }
    // The schedule that kept the last promise is likely to keep this one.
    if (last_ && keeps(settings[last_->choice], last_->schedule, goal, in_full)) return true;
    for (const Candidate& one : candidates(settings)) {
      if (!keeps(settings[one.choice], one.schedule, goal, in_full)) continue;
      last_ = one;
      return true;
    }
    return false;
  }

  // Also runs the whole search, one step nearer. A plan that it finds becomes a candidate.
  [[nodiscard]] std::optional<double> least_steps(double steps_max, const At& at) override {
    std::optional<double> found = StepSearch::least_steps(steps_max, at);
    for (int round = 0; round < kRounds && found && *found > 1; ++round) {
      const Solved nearer = solve(coarse_, at(*found - 1));
      if (!nearer.plan) break;
      last_ = Candidate{nearer.plan->choice, nearer.plan->schedule};
      known_.push_back(*last_);
      const std::optional<double> better = walk(bisect(0, *found - 1, at), *found - 1, at);
      if (!better) break;
      found = better;
    }
    return found;
  }

 private:
  struct Candidate {
    std::size_t choice = 0;
    Schedule schedule;
  };

  [[nodiscard]] std::vector<Candidate> candidates(const std::vector<Setting>& settings) const {
    std::vector<Candidate> all = known_;
    for (std::size_t choice = 0; choice < settings.size(); ++choice) {
      for (Schedule& schedule : basic_schedules(settings[choice])) {
        all.push_back({choice, std::move(schedule)});
      }
    }
    return all;
  }

  [[nodiscard]] bool keeps(const Setting& setting, const Schedule& schedule, const Goal& goal,
                           bool in_full) const {
    const auto is_supported = [&](const Leg& leg) {
      return setting.law_of(leg.variant).metric_supported <= setting.stop_metric;
    };
    if (std::ranges::none_of(schedule, is_supported)) return false;
    const std::uint64_t seed = final_seed(problem_.options);
    const double p = goal.probability;
    for (const std::uint32_t runs : kStages) {
      if (runs >= problem_.options.simulated_runs) break;
      const Outcome early = simulate(setting, schedule, {.seed = seed, .runs = runs});
      if (early.probability < p - 3 * std::sqrt(p * (1 - p) / runs)) return false;
      if (goal.budget && early.cost_mean > *goal.budget) return false;
    }
    const std::uint32_t most = problem_.options.simulated_runs;
    const std::uint32_t runs = in_full ? most : std::min(kStages[1], most);
    const Outcome outcome = simulate(setting, schedule, {.seed = seed, .runs = runs});
    return outcome.probability >= p && outcome.keeps(goal.budget);
  }

  const Problem& problem_;
  Problem coarse_;  // Half the levels, because it is used often and only for candidates.
  std::vector<Candidate> known_;   // Filled by least_steps().
  std::optional<Candidate> last_;  // Replaced by is_feasible().
};

// Whether a fixed schedule keeps the promise, and the profile supports this.
bool a_schedule_keeps(const Problem& problem, const Goal& goal, double confidence) {
  const Solved fixed = solve(problem, goal);
  if (!fixed.plan) return false;
  const double percentile = percentile_probability(problem, goal, confidence, *fixed.plan);
  return supported_probability(percentile, problem.choices[fixed.plan->choice].laws) >=
         goal.probability;
}

// Whether a closed-loop policy keeps a promise. The quick check takes the most dependable policy on
// a coarse grid and a few worlds, with the same random numbers for every promise. The full check is
// can_keep().
class ClosedFeasibility : public StepSearch {
 public:
  ClosedFeasibility(const Problem& problem, const ClosedSolution& closed, double confidence)
      : problem_(problem),
        choice_(closed.choice),
        most_supported_(closed.most_supported),
        confidence_(confidence) {}

  [[nodiscard]] bool is_feasible(const Goal& goal, bool in_full) override {
    if (most_supported_ < goal.probability) return false;
    if (in_full && goal.budget) return keeps_budget(goal);
    if (in_full) return can_keep(problem_, goal, confidence_, choice_, effort_);
    const Setting setting = make_setting(problem_, problem_.choices[choice_], goal);
    const std::uint64_t seed = final_seed(problem_.options);
    if (!hindsight_keeps(setting, goal.probability, seed, kRuns)) {
      effort_.refused_by_bound += 1;
      return false;
    }
    return is_dependable(goal, setting, seed);
  }

  [[nodiscard]] const Effort& effort() const { return effort_; }
  void add(const Effort& more) {
    effort_.policies += more.policies;
    effort_.refused_by_bound += more.refused_by_bound;
  }

 private:
  static constexpr std::uint32_t kRuns = 400;

  // The result on a few worlds may be better than that on all worlds. Then the search continues
  // with all worlds, in growing steps.
  [[nodiscard]] std::optional<double> confirm(double steps, double steps_max,
                                              const At& at) override {
    if (const auto found = walk(steps, steps_max, at)) return found;
    double low = steps + kWalk - 1;
    for (double step = kWalk; low < steps_max; step *= 2) {
      const double high = std::min(low + step, steps_max);
      if (is_feasible(at(high), true)) return bisect(low, high, at, true);
      low = high;
    }
    return std::nullopt;
  }

  // A policy does not react to the money that is left. So the most dependable one, the only one
  // that can_keep() tries, may run out of money where another one does not, and a fixed schedule
  // may keep a smaller budget.
  bool keeps_budget(const Goal& goal) {
    const ClosedSolution closed = solve_closed(problem_, goal, confidence_);
    add(closed.effort);
    return closed.keeps(goal) || a_schedule_keeps(problem_, goal, confidence_);
  }

  bool is_dependable(const Goal& goal, const Setting& setting, std::uint64_t seed) {
    // The value of a success, as a multiple of the cost of the most expensive run.
    static constexpr double kDependable = 16;
    static constexpr std::uint32_t kWorlds = 20;
    static constexpr std::uint32_t kWorldRuns = 100;
    const double promised = goal.probability;
    const auto model = std::make_shared<const ClosedLoopModel>(
        setting, ClosedLoopOptions{.grid = {50, 100}, .classes = 3, .mask = {}});
    const ClosedLoop policy(model, kDependable * model->cost_max());
    effort_.policies += 1;
    if (simulate(setting, policy, {.seed = seed, .runs = kRuns}).probability < promised) {
      return false;
    }
    // The policy must keep the promise under all but a few of the laws that agree with the profile.
    const std::uint32_t count = std::min(kWorlds, problem_.options.worlds);
    const std::size_t most = may_fail(count, confidence_);
    std::size_t failed = 0;
    for (const Setting& world : draw_worlds(problem_, choice_, goal, count)) {
      failed += simulate(world, policy, {.seed = seed, .runs = kWorldRuns}).probability < promised;
      if (failed > most) return false;
    }
    return true;
  }

  const Problem& problem_;
  std::size_t choice_;
  double most_supported_;
  double confidence_;
  Effort effort_;  // Counted by is_feasible().
};

std::optional<double> nearest_deadline(const Problem& problem, StepSearch& search, Goal goal) {
  if (reachable_probability(problem, goal, {}) < goal.probability) return std::nullopt;
  const double deadline_s = goal.deadline_s;
  const auto at = [&](double steps) {
    goal.deadline_s = round_up(deadline_s * std::pow(kRatio, steps));
    return goal;
  };
  const double steps_max = std::ceil(kDoublings * std::log(2.0) / std::log(kRatio));
  const auto steps = search.least_steps(steps_max, at);
  if (!steps) return std::nullopt;
  return at(*steps).deadline_s;
}

std::optional<double> nearest_target(const Problem& problem, StepSearch& search, Goal goal) {
  double start = goal.target;
  double supported = std::numeric_limits<double>::infinity();
  for (const DataLaws& choice : problem.choices) {
    for (const VersionLaw& law : choice.laws.versions) {
      start = std::max(start, law.curve.at(0));
      supported = std::min(supported, law.metric_supported);
    }
  }
  // No metric below the one that the profile supports is feasible, so the search begins there.
  const double low = std::max(goal.target, std::min(supported, start));
  if (!(start > low)) return std::nullopt;
  const bool ratio = low > 0;
  const double step = (kRatio - 1) * (start - low);
  const auto at = [&](double steps) {
    const double target = ratio ? low * std::pow(kRatio, steps) : low + step * steps;
    goal.target = ratio ? round_up(target) : target;
    // The target of an accuracy is shown as 1 - target and rounded in that form.
    if (goal.accuracy) goal.target = std::ceil(target * 1e4) / 1e4;
    return goal;
  };
  const double steps_max =
      std::floor(ratio ? std::log(start / low) / std::log(kRatio) : 1 / (kRatio - 1));
  const auto steps = search.least_steps(steps_max, at);
  if (!steps) return std::nullopt;
  return at(*steps).target;
}

std::optional<double> nearest_probability(StepSearch& search, Goal goal) {
  const double promised = std::ceil(goal.probability / kProbabilityStep - 1e-9);
  const auto at = [&](double steps) {
    goal.probability = (promised - steps) * kProbabilityStep;
    return goal;
  };
  if (promised < 2) return std::nullopt;
  const auto steps = search.least_steps(promised - 1, at);
  if (!steps) return std::nullopt;
  return at(*steps).probability;
}

// The least budget that can be kept, within a tenth. `cost`: the money that a plan without a budget
// needs in nearly all runs. More may be needed, because a tight budget makes some runs stop. Much
// less may be enough, because the cheapest plan on average may have a few expensive runs.
std::optional<double> nearest_budget(Goal goal, double cost,
                                     const std::function<bool(const Goal&)>& can_keep) {
  static constexpr int kTries = 8;
  static constexpr double kMore = 1.1;
  static constexpr double kLeastShare = 1e-3;
  const auto is_kept_with = [&](double budget) {
    goal.budget = budget;
    return can_keep(goal);
  };
  double low = std::max(*goal.budget, kLeastShare * cost);
  double high = round_up(cost * (1 + 1e-9));
  for (int i = 1; !is_kept_with(high); ++i) {
    if (i == kTries) return std::nullopt;
    low = std::max(low, high);
    high = round_up(kMore * high);
  }
  while (high > kMore * low) {
    const double middle = round_up(std::sqrt(low * high));
    (is_kept_with(middle) ? high : low) = middle;
  }
  return high;
}

NearestGoals nearest_by(const Problem& problem, const Goal& goal, StepSearch& search) {
  NearestGoals nearest;
  nearest.target = nearest_target(problem, search, goal);
  Goal modest = goal;
  modest.probability = kProbabilityStep;
  if (reachable_probability(problem, modest, {}) > 0) {
    nearest.probability = nearest_probability(search, goal);
  }
  nearest.deadline_s = nearest_deadline(problem, search, goal);
  return nearest;
}

}  // namespace

NearestGoals nearest_goals(const Problem& problem, const Goal& goal, const Solved& solved) {
  SURETY_CHECK(!solved.plan);
  Feasibility search(problem, solved);
  NearestGoals nearest = nearest_by(problem, goal, search);
  if (goal.budget) {
    Goal free = goal;
    free.budget.reset();
    const Solved without = solve(problem, free);
    if (without.plan) {
      nearest.budget = nearest_budget(goal, without.plan->outcome.cost_95, [&](const Goal& with) {
        return search.is_feasible(with, true);
      });
    }
  }
  return nearest;
}

NearestGoals nearest_goals(const Problem& problem, const Goal& goal, const ClosedSolution& closed,
                           double confidence) {
  ClosedFeasibility search(problem, closed, confidence);
  NearestGoals nearest = nearest_by(problem, goal, search);
  if (goal.budget) {
    Goal free = goal;
    free.budget.reset();
    const ClosedSolution without = solve_closed(problem, free, confidence);
    const Solved fixed = solve(problem, free);
    if (without.keeps(free) || fixed.plan) {
      const double cost =
          without.keeps(free) ? without.outcome.cost_95 : fixed.plan->outcome.cost_95;
      nearest.budget = nearest_budget(
          goal, cost, [&](const Goal& with) { return search.is_feasible(with, true); });
    }
    search.add(without.effort);
  }
  nearest.effort = search.effort();
  return nearest;
}

}  // namespace surety::plan
