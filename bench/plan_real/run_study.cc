#include "run_study.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "base/check.h"
#include "base/posix/file.h"
#include "plan/csv.h"
#include "plan/statistics.h"

namespace surety::bench {
namespace {

using plan::Column;

constexpr std::tuple kColumns{
    Column{"planner", &RealRun::planner}, Column{"seed", &RealRun::seed},
    Column{"kept", &RealRun::kept},       Column{"target_met", &RealRun::target_met},
    Column{"cost", &RealRun::cost},       Column{"seconds", &RealRun::seconds},
    Column{"metric", &RealRun::metric},   Column{"certify_metric", &RealRun::certify_metric},
    Column{"passes", &RealRun::passes},   Column{"path", &RealRun::path},
};

std::string table_of(const std::vector<RealRun>& runs) {
  return std::apply([&](const auto&... c) { return plan::write_csv(runs, c...); }, kColumns);
}

double rounded(double value) { return std::round(1e4 * value) / 1e4; }

}  // namespace

Result<std::vector<RealRun>> run_study(const World& world, const RealPromise& promise,
                                       const std::vector<Planned>& planners,
                                       const RunOptions& options, const MeasureAt& measure_at,
                                       const std::filesystem::path& results) {
  std::vector<RealRun> runs;
  for (std::uint32_t i = 0; i < options.runs; ++i) {
    const std::uint32_t seed = options.first_seed + i;
    for (const Planned& planner : planners) {
      const std::unique_ptr<Decider> decider = planner.make_decider();
      SURETY_TRY(RealRun run, run_once(world, promise, *decider, seed, measure_at));
      run.planner = planner.name;
      run.cost = rounded(run.cost);
      run.seconds = rounded(run.seconds);
      runs.push_back(std::move(run));
    }
    SURETY_TRY(posix::write_file_atomically(results, table_of(runs)));
    fmt::print(stderr, "run {} of {}\n", i + 1, options.runs);
  }
  return runs;
}

Kept kept_of(const std::vector<RealRun>& runs, const std::string& planner) {
  static constexpr double kOneSided = 0.975;
  Kept result;
  std::vector<double> costs;
  for (const RealRun& run : runs) {
    if (run.planner != planner) continue;
    result.kept += run.kept;
    costs.push_back(run.cost);
  }
  SURETY_CHECK(!costs.empty());
  result.runs = static_cast<std::uint32_t>(costs.size());
  result.low = plan::binomial_lower(result.kept, result.runs, kOneSided);
  result.high = 1 - plan::binomial_lower(result.runs - result.kept, result.runs, kOneSided);
  result.cost_mean = plan::mean(costs);
  result.cost_se = std::sqrt(plan::variance(costs) / static_cast<double>(costs.size()));
  return result;
}

void print_table(const std::vector<Planned>& planners, const std::vector<RealRun>& runs) {
  SURETY_CHECK(!planners.empty());
  const double ours = kept_of(runs, planners[0].name).cost_mean;
  fmt::print("{:<20} {:>9} {:>9} {:>15} {:>9} {:>15} {:>8}\n", "planner", "predicted", "kept",
             "95 % interval", "cost said", "cost", "saved");
  for (const Planned& planner : planners) {
    const Kept kept = kept_of(runs, planner.name);
    fmt::print("{:<20} {:>9.3f} {:>9} {:>15} {:>9.3f} {:>15} {:>7.1f}%  {}\n", planner.name,
               planner.probability, fmt::format("{}/{}", kept.kept, kept.runs),
               fmt::format("{:.3f} to {:.3f}", kept.low, kept.high), planner.cost_mean,
               fmt::format("{:.3f} +- {:.3f}", kept.cost_mean, kept.cost_se),
               100 * (1 - ours / kept.cost_mean), planner.what);
  }
}

void report_runs(const std::string& study, const std::vector<Planned>& planners,
                 const std::vector<RealRun>& runs, Report& report) {
  Row cost, share;
  cost.measure = "real_" + study;
  cost.unit = "cost a run";
  cost.higher_is_better = false;
  share.measure = cost.measure + "/kept";
  share.unit = "share of runs";
  for (const Planned& planner : planners) {
    const Kept kept = kept_of(runs, planner.name);
    const std::vector<double> costs{kept.cost_mean};
    const std::vector<double> shares{static_cast<double>(kept.kept) / kept.runs};
    const bool is_ours = &planner == &planners[0];
    (is_ours ? cost.ours : cost.peers[planner.name]) = costs;
    (is_ours ? share.ours : share.peers[planner.name]) = shares;
  }
  report.add(std::move(cost));
  report.add(std::move(share));
}

}  // namespace surety::bench
