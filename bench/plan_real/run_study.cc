#include "run_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/check.h"
#include "plan/files/csv.h"
#include "plan/statistics.h"

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
  std::uint32_t kept = 0;
  std::vector<double> costs;
};

Result<std::vector<Followed>> plan_each(const World& world, double target,
                                        const plan::Profile& profile, const StudyOptions& options) {
  std::vector<Followed> all;
  for (const double deadline_s : options.deadlines_s) {
    for (const double probability : options.probabilities) {
      const RealPromise promise{target, probability, deadline_s};
      SURETY_TRY(std::vector<Planned> planned, plan_all(world, promise, profile));
      for (Planned& one : planned) all.push_back({promise, std::move(one), 0, {}});
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
  row.runs = static_cast<std::uint32_t>(one.costs.size());
  row.kept = one.kept;
  row.cost_mean = rounded(plan::mean(one.costs));
  row.cost_se = rounded(std::sqrt(plan::variance(one.costs) / row.runs));
  row.plan = one.planned.what;
  std::ranges::replace(row.plan, ',', ';');
  return row;
}

// In the order in which they were planned, ours first.
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

std::string interval_of(const Kept& row) {
  static constexpr double kOneSided = 0.975;  // Clopper and Pearson 1934.
  return fmt::format("{:.3f} to {:.3f}", plan::binomial_lower(row.kept, row.runs, kOneSided),
                     1 - plan::binomial_lower(row.runs - row.kept, row.runs, kOneSided));
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
      one.kept += run.kept;
      one.costs.push_back(run.cost);
    }
    fmt::print(stderr, "seed {} of {}\n", i + 1, options.runs);
  }
  std::vector<Kept> rows;
  for (const Followed& one : all) rows.push_back(kept_of(one));
  return rows;
}

std::optional<double> cost_at(const std::vector<Kept>& rows, double deadline_s,
                              const std::string& planner, double share) {
  std::vector<std::pair<double, double>> points;  // Share, cost.
  for (const Kept& row : rows) {
    if (row.deadline_s == deadline_s && row.planner == planner) {
      points.emplace_back(row.share(), row.cost_mean);
    }
  }
  std::optional<double> least;
  const auto offer = [&](double cost) { least = std::min(least.value_or(cost), cost); };
  for (const auto& [high, cost] : points) {
    if (high < share) continue;
    offer(cost);
    for (const auto& [low, cheaper] : points) {
      if (low >= share) continue;
      offer(cheaper + (share - low) / (high - low) * (cost - cheaper));
    }
  }
  return least;
}

std::string to_csv(const std::vector<Kept>& rows) {
  return std::apply([&](const auto&... c) { return plan::write_csv(rows, c...); }, kColumns);
}

void print_study(const std::vector<Kept>& rows, const StudyOptions& options) {
  for (const double deadline_s : options.deadlines_s) {
    fmt::print("deadline {:.0f} s, promised {}\n", deadline_s, options.compared);
    fmt::print("  {:<20} {:>8} {:>9} {:>9} {:>15} {:>15} {:>15} {:>8}\n", "planner", "",
               "predicted", "kept", "95 % interval", "cost", "at our success", "saved");
    const std::vector<std::string> planners = planners_of(rows);
    const Kept* ours = find(rows, deadline_s, planners.front(), options.compared);
    SURETY_CHECK(ours != nullptr);
    for (const std::string& planner : planners) {
      const Kept* row = find(rows, deadline_s, planner, options.compared);
      if (row == nullptr) continue;
      const auto cost = row == ours ? std::optional(ours->cost_mean)
                                    : cost_at(rows, deadline_s, planner, ours->share());
      fmt::print("  {:<20} {:>8} {:>9.3f} {:>9} {:>15} {:>15} {:>15} {:>8}  {}\n", planner,
                 row->issued != 0 ? "plans" : "refuses", row->predicted,
                 fmt::format("{}/{}", row->kept, row->runs), interval_of(*row),
                 fmt::format("{:.3f} +- {:.3f}", row->cost_mean, row->cost_se),
                 cost ? fmt::format("{:.3f}", *cost) : "not reached",
                 cost ? fmt::format("{:.1f} %", 100 * (1 - ours->cost_mean / *cost)) : "",
                 row->plan);
    }
  }
}

void report_study(const std::string& study, const std::vector<Kept>& rows,
                  const StudyOptions& options, Report& report) {
  for (const double deadline_s : options.deadlines_s) {
    const std::vector<std::string> planners = planners_of(rows);
    const Kept* ours = find(rows, deadline_s, planners.front(), options.compared);
    SURETY_CHECK(ours != nullptr);
    Row cost, share;
    cost.measure = fmt::format("real_{}/{:.0f}s", study, deadline_s);
    cost.unit = "cost a run";
    cost.higher_is_better = false;
    cost.ours = {ours->cost_mean};
    share.measure = cost.measure + "/kept";
    share.unit = "share of runs";
    share.ours = {ours->share()};
    for (const std::string& planner : planners) {
      if (planner == ours->planner) continue;
      if (const auto at = cost_at(rows, deadline_s, planner, ours->share())) {
        cost.peers[planner] = {*at};
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
