#include "run_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/files/csv.h"

namespace surety::bench {
namespace {

using plan::Column;

constexpr std::tuple kColumns{
    Column{"deadline_s", &Kept::deadline_s},
    Column{"planner", &Kept::planner},
    Column{"promised", &Kept::promised},
    Column{"issued", &Kept::issued},
    Column{"predicted", &Kept::predicted},
    Column{"predicted_cost", &Kept::predicted_cost},
    Column{"runs", &Kept::runs},
    Column{"kept", &Kept::kept},
    Column{"cost_mean", &Kept::cost_mean},
    Column{"cost_se", &Kept::cost_se},
    Column{"plan", &Kept::plan},
};

double rounded(double value) { return std::round(1e4 * value) / 1e4; }

struct Followed {
  RealPromise promise;
  Planned planned;
  SeedRuns runs;
};

Result<std::vector<Followed>> plan_each(const World& world, double target,
                                        const plan::Profile& profile, const StudyOptions& options) {
  std::vector<Followed> all;
  for (const double deadline_s : options.deadlines_s) {
    for (const double probability : options.probabilities) {
      const RealPromise promise{target, probability, deadline_s};
      SURETY_TRY(std::vector<Planned> planned, plan_all(world, promise, profile));
      for (Planned& one : planned) all.push_back({promise, std::move(one), {}});
    }
    fmt::print(stderr, "planned for {:.0f} s\n", deadline_s);
  }
  return all;
}

Kept kept_of(const Followed& one) {
  Kept row;
  row.deadline_s = one.promise.deadline_s;
  row.planner = one.planned.name;
  row.promised = one.promise.probability;
  row.issued = one.planned.issued ? 1 : 0;
  row.predicted = rounded(one.planned.probability);
  row.predicted_cost = rounded(one.planned.cost_mean);
  std::vector<double> costs;
  for (const SeedRun& run : one.runs) {
    costs.push_back(run.cost);
    row.kept += run.kept ? 1 : 0;
  }
  row.runs = static_cast<std::uint32_t>(costs.size());
  row.cost_mean = rounded(surety::mean(costs));
  row.cost_se = rounded(std::sqrt(surety::variance(costs) / row.runs));
  row.by_seed = one.runs;
  row.plan = one.planned.what;
  std::ranges::replace(row.plan, ',', ';');
  return row;
}

// Names of the planners in the order in which they planned; ours is the first.
std::vector<std::string> planners_of(const std::vector<Kept>& rows) {
  std::vector<std::string> names;
  for (const Kept& row : rows) {
    if (std::ranges::find(names, row.planner) == names.end()) names.push_back(row.planner);
  }
  return names;
}

const Kept* find(const std::vector<Kept>& rows, double deadline_s, const std::string& planner,
                 double promised) {
  for (const Kept& row : rows) {
    if (row.deadline_s == deadline_s && row.planner == planner && row.promised == promised) {
      return &row;
    }
  }
  return nullptr;
}

// Interval of a share that was kept in runs of this many seeds (Clopper and Pearson 1934). A seed
// that ran several times counts once.
std::string interval_of(double share, std::uint32_t seeds) {
  static constexpr double kOneSided = 0.975;
  const double kept = share * seeds;
  const auto at_least = static_cast<std::uint32_t>(std::floor(kept + 1e-9));
  const auto at_most = static_cast<std::uint32_t>(std::ceil(kept - 1e-9));
  return fmt::format("{:.3f} to {:.3f}", surety::binomial_lower(at_least, seeds, kOneSided),
                     1 - surety::binomial_lower(seeds - at_most, seeds, kOneSided));
}

// The plans of one planner for one deadline, each with its runs.
std::vector<SeedRuns> plans_of(const std::vector<Kept>& rows, double deadline_s,
                               const std::string& planner) {
  std::vector<SeedRuns> plans;
  for (const Kept& row : rows) {
    if (row.deadline_s == deadline_s && row.planner == planner) plans.push_back(row.by_seed);
  }
  return plans;
}

// A rival beside ours for one deadline. Over several deadlines, the results of cross_judged() are
// averaged.
struct Pair {
  std::vector<SeedRuns> plans;
  SeedRuns ours;
};

std::optional<Judged> mean_judged(const std::vector<Pair>& pairs, const Halves& halves) {
  Judged sum;
  for (const Pair& pair : pairs) {
    const auto one = cross_judged(pair.plans, pair.ours, halves);
    if (!one) return std::nullopt;
    sum.share += one->share / static_cast<double>(pairs.size());
    sum.cost += one->cost / static_cast<double>(pairs.size());
  }
  return sum;
}

// The rival's cost divided by ours.
std::optional<double> cost_ratio(const std::vector<Pair>& pairs, const Halves& halves) {
  const auto rival = mean_judged(pairs, halves);
  if (!rival) return std::nullopt;
  Seeds all = halves.first;
  all.insert(all.end(), halves.second.begin(), halves.second.end());
  double ours = 0;
  for (const Pair& pair : pairs) ours += judge(pair.ours, all).cost;
  return rival->cost * static_cast<double>(pairs.size()) / ours;
}

// The text is, for example, "1.23 (1.10 to 1.41), cost 3.450, keeps 0.967".
std::string judged_text(const std::vector<Pair>& pairs) {
  static constexpr std::uint32_t kDraws = 2000;
  const Halves halves = halves_of(pairs.front().ours.size());
  const auto judged = mean_judged(pairs, halves);
  if (!judged) return "not reached";
  const auto interval = bootstrap(
      halves, [&](const Halves& drawn) { return cost_ratio(pairs, drawn); }, kDraws);
  const std::string range = interval ? fmt::format("{:.2f} to {:.2f} in {:.0f} %", interval->low,
                                                   interval->high, 100 * interval->share)
                                     : "mostly not reached";
  return fmt::format("{:.2f} ({}), cost {:.3f}, keeps {:.3f}", *cost_ratio(pairs, halves), range,
                     judged->cost, judged->share);
}

// Prints the table of all deadlines for which ours made the promise.
void print_together(const std::vector<Kept>& rows, const std::vector<double>& deadlines_s,
                    double compared) {
  const std::vector<std::string> planners = planners_of(rows);
  std::uint32_t kept = 0;
  std::uint32_t runs = 0;
  std::uint32_t seeds = 0;
  for (const double deadline_s : deadlines_s) {
    const Kept* ours = find(rows, deadline_s, planners.front(), compared);
    kept += ours->kept, runs += ours->runs, seeds = ours->runs;
  }
  fmt::print("together: {} kept {} of {} runs of {} seeds ({})\n", planners.front(), kept, runs,
             seeds, interval_of(1.0 * kept / runs, seeds));
  for (const std::string& planner : planners) {
    if (planner == planners.front()) continue;
    std::vector<Pair> pairs;
    for (const double deadline_s : deadlines_s) {
      pairs.push_back({plans_of(rows, deadline_s, planner),
                       find(rows, deadline_s, planners.front(), compared)->by_seed});
    }
    fmt::print("  {:<20} {}\n", planner, judged_text(pairs));
  }
}

}  // namespace

Result<std::vector<Kept>> run_study(const World& world, double target, const plan::Profile& profile,
                                    const StudyOptions& options, const MeasureAt& measure_at) {
  SURETY_TRY(std::vector<Followed> all, plan_each(world, target, profile, options));
  for (std::uint32_t i = 0; i < options.runs; ++i) {
    for (Followed& one : all) {
      const std::unique_ptr<Decider> decider = one.planned.make_decider();
      SURETY_TRY(const RealRun run,
                 run_once(world, one.promise, *decider, options.first_seed + i, measure_at));
      one.runs.push_back({run.kept != 0, run.cost});
    }
    fmt::print(stderr, "seed {} of {}\n", i + 1, options.runs);
  }
  std::vector<Kept> rows;
  for (const Followed& one : all) rows.push_back(kept_of(one));
  return rows;
}

std::string to_csv(const std::vector<Kept>& rows) {
  return std::apply([&](const auto&... c) { return plan::write_csv(rows, c...); }, kColumns);
}

void print_study(const std::vector<Kept>& rows, const StudyOptions& options) {
  const std::vector<std::string> planners = planners_of(rows);
  std::vector<double> promised_s;  // Deadlines for which ours made the promise.
  for (const double deadline_s : options.deadlines_s) {
    fmt::print("deadline {:.0f} s, promised {}\n", deadline_s, options.compared);
    fmt::print("  {:<20} {:>8} {:>9} {:>9} {:>15} {:>15}  {}\n", "planner", "", "predicted", "kept",
               "95 % interval", "cost", "its cost over ours at our success (90 % interval), plan");
    const Kept* ours = find(rows, deadline_s, planners.front(), options.compared);
    SURETY_CHECK(ours != nullptr);
    if (ours->issued != 0) promised_s.push_back(deadline_s);
    for (const std::string& planner : planners) {
      const Kept* row = find(rows, deadline_s, planner, options.compared);
      if (row == nullptr) continue;
      const std::string judged =
          row == ours ? "" : judged_text({{plans_of(rows, deadline_s, planner), ours->by_seed}});
      fmt::print("  {:<20} {:>8} {:>9.3f} {:>9} {:>15} {:>15}  {}  {}\n", planner,
                 row->issued != 0 ? "plans" : "refuses", row->predicted,
                 fmt::format("{}/{}", row->kept, row->runs), interval_of(row->share(), row->runs),
                 fmt::format("{:.3f} +- {:.3f}", row->cost_mean, row->cost_se), judged, row->plan);
    }
  }
  if (!promised_s.empty()) print_together(rows, promised_s, options.compared);
}

void report_study(const std::string& study, const std::vector<Kept>& rows,
                  const StudyOptions& options, Report& report) {
  for (const double deadline_s : options.deadlines_s) {
    const std::vector<std::string> planners = planners_of(rows);
    const Kept* ours = find(rows, deadline_s, planners.front(), options.compared);
    SURETY_CHECK(ours != nullptr);
    Row cost;
    Row share;
    cost.measure = fmt::format("real_{}/{:.0f}s", study, deadline_s);
    cost.unit = "cost a run";
    cost.higher_is_better = false;
    cost.ours = {ours->cost_mean};
    share.measure = cost.measure + "/kept";
    share.unit = "share of runs";
    share.ours = {ours->share()};
    for (const std::string& planner : planners) {
      if (planner == ours->planner) continue;
      if (const auto at = cross_judged(plans_of(rows, deadline_s, planner), ours->by_seed,
                                       halves_of(ours->by_seed.size()))) {
        cost.peers[planner] = {at->cost};
      }
      if (const Kept* row = find(rows, deadline_s, planner, options.compared)) {
        share.peers[planner] = {row->share()};
      }
    }
    report.add(std::move(cost));
    report.add(std::move(share));
  }
}

}  // namespace surety::bench
