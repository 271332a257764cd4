#include "plan/schedules/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/random.h"
#include "plan/schedules/open_loop.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kScreenShare = 8;  // Screening takes an eighth of the runs, so it is cheap.
constexpr std::size_t kImproved = 3;       // Schedules that are improved pass by pass.
constexpr int kImprovements = 8;           // Rounds of improvement for each of them.
constexpr std::size_t kFinalists = 6;      // Largest number of schedules simulated in full.
constexpr std::size_t kOthersMax = 6;

// The cheaper outcome is better. If costs are equal, the one that ends earlier is better, and if
// that is also equal, the more probable one.
bool is_better(const Outcome& a, const Outcome& b) {
  return std::tuple(a.cost_mean, a.seconds_mean, -a.probability) <
         std::tuple(b.cost_mean, b.seconds_mean, -b.probability);
}

// Screens the schedules of one data choice and stores the results.
class Screening {
 public:
  Screening(const Setting& setting, const Goal& goal, const PlanOptions& options)
      : setting_(setting), goal_(goal), options_(options) {
    runs_ = std::max<std::uint32_t>(options.simulated_runs / kScreenShare, 50);
    const double p = goal.probability;
    // A result two standard errors below the promise may still keep it.
    enough_ = p - 2 * std::sqrt(p * (1 - p) / runs_);
  }

  void add(Schedule schedule) {
    // The last leg continues in any case, so each schedule has a single form.
    schedule.back().passes = 1;
    if (seen_.contains(schedule)) return;
    const Outcome outcome =
        simulate(setting_, schedule, {.seed = mix64(options_.seed), .runs = runs_});
    seen_.emplace(std::move(schedule), outcome);
  }

  void improve() {
    std::vector<Schedule> best;
    for (const auto& [schedule, outcome] : ranked()) {
      if (schedule.size() > 1 && best.size() < kImproved) best.push_back(schedule);
    }
    for (Schedule& schedule : best) {
      for (int round = 0; round < kImprovements; ++round) {
        if (!improve_once(schedule)) break;
      }
    }
  }

  // First those that are likely enough and within the budget, by cost; then the others, by
  // probability.
  [[nodiscard]] std::vector<std::pair<Schedule, Outcome>> ranked() const {
    std::vector<std::pair<Schedule, Outcome>> all(seen_.begin(), seen_.end());
    std::stable_sort(all.begin(), all.end(), [this](const auto& a, const auto& b) {
      return is_preferred(a.second, b.second);
    });
    return all;
  }

  [[nodiscard]] bool is_enough(const Outcome& outcome) const {
    return outcome.probability >= enough_ && outcome.keeps(goal_.budget);
  }

 private:
  [[nodiscard]] bool is_preferred(const Outcome& a, const Outcome& b) const {
    if (is_enough(a) != is_enough(b)) return is_enough(a);
    if (is_enough(a) || a.probability == b.probability) return is_better(a, b);
    return a.probability > b.probability;
  }

  bool improve_once(Schedule& schedule) {
    Schedule best = schedule;
    for (std::size_t leg = 0; leg + 1 < schedule.size(); ++leg) {
      for (const int change : {-4, -1, 1, 4}) {
        const int passes = static_cast<int>(schedule[leg].passes) + change;
        if (passes < 1 || passes > static_cast<int>(setting_.passes_max)) continue;
        Schedule trial = schedule;
        trial[leg].passes = static_cast<std::uint32_t>(passes);
        add(trial);
        if (is_preferred(seen_.at(trial), seen_.at(best))) best = trial;
      }
    }
    const bool better = best != schedule;
    schedule = best;
    return better;
  }

  const Setting& setting_;
  const Goal& goal_;
  const PlanOptions& options_;
  std::uint32_t runs_ = 0;
  double enough_ = 0;
  std::map<Schedule, Outcome> seen_;  // Filled by add().
};

// The graph contains no stuck runs, so this share of the other runs must succeed.
double probability_if_not_stuck(const Setting& setting) {
  static constexpr double kMost = 0.999;  // A promise that cannot be kept still gets candidates.
  double share = 1;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    share = std::min(share, setting.law_of(v).stuck_share);
  }
  return share > 0 ? std::min(setting.probability / (1 - share), kMost) : setting.probability;
}

void screen(const Setting& setting, const PlanOptions& options, Screening& screening) {
  for (Schedule& schedule : basic_schedules(setting)) screening.add(std::move(schedule));
  if (setting.laws.versions.back().rank > 0) {
    const double p = probability_if_not_stuck(setting);
    OpenLoopOptions graph;
    graph.levels = options.levels;
    // Rounding changes probabilities by some points, and early stopping changes which schedule is
    // cheapest. So schedules for less and for more than the promise are candidates as well.
    graph.omegas = {std::max(2 * p - 1, p / 2), p, 1 - (1 - p) / 4};
    for (Schedule& schedule : open_loop_schedules(setting, graph)) {
      screening.add(std::move(schedule));
    }
  }
  screening.improve();
}

std::string kind_of(const Setting& setting, const Solution& solution) {
  std::string kind = std::to_string(solution.choice);
  for (const Leg& leg : solution.schedule) {
    kind += fmt::format("/{} on {}", setting.law_of(leg.variant).version,
                        setting.variants[leg.variant].nodes);
  }
  return kind;
}

// All screened solutions over all data choices, best first.
struct Screened {
  std::vector<Setting> settings;                     // One entry for each choice.
  std::vector<std::pair<bool, Solution>> solutions;  // Each with whether it seems good enough.
};

Screened screen_all(const Problem& problem, const Goal& goal) {
  Screened all;
  for (std::size_t choice = 0; choice < problem.choices.size(); ++choice) {
    all.settings.push_back(make_setting(problem, problem.choices[choice], goal));
    const Setting& setting = all.settings.back();
    Screening screening(setting, goal, problem.options);
    screen(setting, problem.options, screening);
    for (auto& [schedule, outcome] : screening.ranked()) {
      const bool enough = screening.is_enough(outcome);
      all.solutions.emplace_back(
          enough, Solution{choice, schedule, describe(setting, schedule), std::move(outcome)});
    }
  }
  SURETY_CHECK(!all.solutions.empty());
  std::stable_sort(all.solutions.begin(), all.solutions.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first;
    if (a.first) return is_better(a.second.outcome, b.second.outcome);
    return a.second.outcome.probability > b.second.outcome.probability;
  });
  return all;
}

Solution finish(const Problem& problem, const Screened& screened, Solution solution) {
  solution.outcome =
      simulate(screened.settings[solution.choice], solution.schedule,
               {.seed = final_seed(problem.options), .runs = problem.options.simulated_runs});
  return solution;
}

const Solution& likeliest(const Screened& screened, bool enough) {
  const auto key = [&](const std::pair<bool, Solution>& one) {
    return enough && !one.first ? -1 : one.second.outcome.probability;
  };
  return std::ranges::max_element(screened.solutions, {}, key)->second;
}

// Simulates the cheapest of those that seem good enough, one after the other, and returns the first
// that keeps the promise. If none does, returns the likeliest of them.
std::optional<Solution> first_that_keeps(const Problem& problem, const Goal& goal,
                                         const Screened& screened) {
  std::vector<Solution> finalists;
  for (const auto& [enough, solution] : screened.solutions) {
    if (enough && finalists.size() < kFinalists) finalists.push_back(solution);
  }
  if (finalists.empty()) return std::nullopt;
  finalists.push_back(likeliest(screened, true));
  for (Solution& finalist : finalists) {
    Solution final = finish(problem, screened, std::move(finalist));
    if (final.outcome.probability >= goal.probability && final.outcome.keeps(goal.budget)) {
      return final;
    }
  }
  return std::nullopt;
}

// The best of each kind, except the chosen one.
std::vector<Solution> others_of(const Screened& screened, const Solution& chosen) {
  std::vector<Solution> others;
  std::set<std::string> kinds;
  for (const auto& [enough, solution] : screened.solutions) {
    if (chosen.what == solution.what && chosen.choice == solution.choice) continue;
    if (others.size() < kOthersMax &&
        kinds.insert(kind_of(screened.settings[solution.choice], solution)).second) {
      others.push_back(solution);
    }
  }
  return others;
}

}  // namespace

std::vector<Schedule> basic_schedules(const Setting& setting) {
  std::vector<Schedule> schedules;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) schedules.push_back({{v, 1}});
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    for (std::size_t w = 0; w < setting.variants.size(); ++w) {
      // Includes the same version on other nodes.
      if (w == v || setting.rank_of(w) > setting.rank_of(v)) continue;
      if (setting.law_of(w).metric_supported > setting.stop_metric) continue;
      // If rounding hides a small gain from the graph, one of these is close enough to be improved
      // into it.
      for (const std::uint32_t passes : {3u, 8u, 20u}) {
        if (passes < setting.passes_max) schedules.push_back({{v, passes}, {w, 1}});
      }
    }
  }
  return schedules;
}

Solved solve(const Problem& problem, const Goal& goal) {
  const Screened screened = screen_all(problem, goal);
  Solved solved;
  solved.plan = first_that_keeps(problem, goal, screened);
  solved.best_effort =
      solved.plan ? *solved.plan : finish(problem, screened, likeliest(screened, false));
  solved.others = others_of(screened, solved.best_effort);
  return solved;
}

double reachable_probability(const Problem& problem, const Goal& goal, const Ignore& ignore) {
  double best = 0;
  Goal patient = goal;
  patient.budget.reset();
  patient.deadline_s = 1e12;  // 30,000 years: passes_max ends the runs, and nothing overflows.
  for (const DataLaws& choice : problem.choices) {
    Setting setting = make_setting(problem, choice, patient);
    if (ignore.passes) setting.passes_max = kSimulatedPassesMax;
    if (ignore.margin) {
      setting.stop_metric = setting.target;
      setting.evaluation_se = 0;
    }
    for (VersionLaw& law : setting.laws.versions) {
      if (ignore.stuck) law.stuck_share = 0;
      if (ignore.support) law.metric_supported = law.curve.floor;
    }
    for (std::size_t v = 0; v < setting.variants.size() && best < goal.probability; ++v) {
      if (setting.law_of(v).metric_supported > setting.stop_metric) continue;
      const Outcome outcome = simulate(
          setting, {{v, 1}},
          {.seed = mix64(problem.options.seed),
           .runs = std::max<std::uint32_t>(problem.options.simulated_runs / kScreenShare, 50)});
      best = std::max(best, outcome.probability);
    }
  }
  return best;
}

}  // namespace surety::plan
