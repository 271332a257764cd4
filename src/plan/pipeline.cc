#include "plan/pipeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/random.h"
#include "plan/open_loop.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kScreenShare = 8;  // Screening takes an eighth of the runs, so it is cheap.
constexpr std::size_t kImproved = 3;       // Schedules that are improved pass by pass.
constexpr int kImprovements = 8;           // Rounds for each of them.
constexpr std::size_t kFinalists = 6;      // Simulated in full, at most.
constexpr std::size_t kOthersMax = 6;

bool within(const std::optional<double>& budget, const Outcome& outcome) {
  return !budget || outcome.cost_95 <= *budget;
}

// Cheaper first; equally cheap: sooner, then likelier.
bool is_better(const Outcome& a, const Outcome& b) {
  return std::tuple(a.cost_mean, a.seconds_mean, -a.probability) <
         std::tuple(b.cost_mean, b.seconds_mean, -b.probability);
}

// Screens the schedules of one data choice; remembers what was simulated.
class Screening {
 public:
  Screening(const Setting& setting, const Goal& goal, const PlanOptions& options)
      : setting_(setting), goal_(goal), options_(options) {
    runs_ = std::max<std::uint32_t>(options.simulated_runs / kScreenShare, 50);
    const double p = goal.probability;
    // Two standard errors below the promise may still be above it.
    enough_ = p - 2 * std::sqrt(p * (1 - p) / runs_);
  }

  void add(Schedule schedule) {
    schedule.back().passes = 1;  // The last leg goes on anyway: one name for one schedule.
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

  // Likely enough and within the budget by cost, then the others by probability.
  [[nodiscard]] std::vector<std::pair<Schedule, Outcome>> ranked() const {
    std::vector<std::pair<Schedule, Outcome>> all(seen_.begin(), seen_.end());
    std::stable_sort(all.begin(), all.end(), [this](const auto& a, const auto& b) {
      return is_preferred(a.second, b.second);
    });
    return all;
  }

  [[nodiscard]] bool is_enough(const Outcome& outcome) const {
    return outcome.probability >= enough_ && within(goal_.budget, outcome);
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
  std::map<Schedule, Outcome> seen_;  // add() adds.
};

// Two blocks on a coarse lattice: where rounding hides a small gain from the graph, one of these is
// close enough to be improved into it.
void add_pairs(const Setting& setting, Screening& screening) {
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    for (std::size_t w = 0; w < setting.variants.size(); ++w) {
      if (setting.variants[w].version >= setting.variants[v].version) continue;
      for (const std::uint32_t passes : {3u, 8u, 20u}) screening.add({{v, passes}, {w, 1}});
    }
  }
}

void screen(const Setting& setting, const PlanOptions& options, Screening& screening) {
  for (std::size_t v = 0; v < setting.variants.size(); ++v) screening.add({{v, 1}});
  if (setting.laws.versions.size() > 1) {
    add_pairs(setting, screening);
    const double p = setting.probability;
    OpenLoopOptions graph;
    graph.levels = options.levels;
    // Rounding misplaces probabilities by some points, and early stopping changes what is cheapest:
    // schedules for less and for more than the promise are candidates as well.
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
    kind += "/" + setting.laws.versions[setting.variants[leg.variant].version].version;
  }
  return kind;
}

}  // namespace

std::uint64_t final_seed(const PlanOptions& options) {
  return mix64(options.seed ^ 0x66696e616cull);
}

Solved solve(const Problem& problem, const Goal& goal) {
  std::vector<Setting> settings;
  std::vector<std::pair<bool, Solution>> screened;  // With whether it looks good enough.
  for (std::size_t choice = 0; choice < problem.choices.size(); ++choice) {
    settings.push_back(make_setting(problem, problem.choices[choice], goal));
    Screening screening(settings.back(), goal, problem.options);
    screen(settings.back(), problem.options, screening);
    for (auto& [schedule, outcome] : screening.ranked()) {
      const std::string what = describe(settings.back(), schedule);
      screened.emplace_back(screening.is_enough(outcome),
                            Solution{choice, schedule, what, std::move(outcome)});
    }
  }
  std::stable_sort(screened.begin(), screened.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first;
    if (a.first) return is_better(a.second.outcome, b.second.outcome);
    return a.second.outcome.probability > b.second.outcome.probability;
  });

  const auto finish = [&](Solution solution) {
    solution.outcome =
        simulate(settings[solution.choice], solution.schedule,
                 {.seed = final_seed(problem.options), .runs = problem.options.simulated_runs});
    return solution;
  };
  Solved solved;
  for (std::size_t i = 0; i < screened.size() && i < kFinalists && !solved.plan; ++i) {
    if (!screened[i].first) break;
    const Solution final = finish(screened[i].second);
    if (final.outcome.probability >= goal.probability && within(goal.budget, final.outcome)) {
      solved.plan = final;
    }
  }
  const auto likeliest =
      std::max_element(screened.begin(), screened.end(), [](const auto& a, const auto& b) {
        return a.second.outcome.probability < b.second.outcome.probability;
      });
  SURETY_CHECK(likeliest != screened.end());
  solved.best_effort = solved.plan ? *solved.plan : finish(likeliest->second);

  std::set<std::string> kinds;
  for (const auto& [enough, solution] : screened) {
    if (solved.plan && solved.plan->what == solution.what &&
        solved.plan->choice == solution.choice) {
      continue;
    }
    if (solved.others.size() < kOthersMax &&
        kinds.insert(kind_of(settings[solution.choice], solution)).second) {
      solved.others.push_back(solution);
    }
  }
  return solved;
}

double reachable_probability(const Problem& problem, const Goal& goal, bool with_margin) {
  double best = 0;
  Goal patient = goal;
  patient.deadline_s = 1e12;  // 30,000 years: passes_max ends the runs, and nothing overflows.
  for (const DataLaws& choice : problem.choices) {
    Setting setting = make_setting(problem, choice, patient);
    if (!with_margin) {
      setting.stop_metric = setting.target;
      setting.evaluation_se = 0;
    }
    for (std::size_t v = 0; v < setting.variants.size(); ++v) {
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
