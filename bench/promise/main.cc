// Measures the cost of a promise and whether it is kept, on jobs that replay recorded training
// runs.
//
//   scripts/bench promise [--only first_job|second_job|kept_090|margin|calibration|races|...]
//   [--replays N] [--studies FOLDER] [--seeds all|calibrate|judge]
//
// Parameters are tuned on the odd seeds (calibrate) and judged on the even ones (judge). Studies
// that are not in the folder are omitted.
//
// The oracle knows beforehand which version is the cheapest on average, and stops by the same rule.
// The cells are the targets of each study (cells.cc) with three vectors of prices. Attempts never
// change to a fuller version here, because the studies have no recordings of such changes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/statistics.h"
#include "bench/report.h"
#include "calibration.h"
#include "cells.h"
#include "plan/belief/counts.h"
#include "races.h"
#include "replay.h"

namespace surety::bench {
namespace {

void first_job(Bench& bench) {
  std::printf("\n%-22s %8s %-10s %14s %8s %8s  %s\n", "first job", "oracle", "version",
              "ours/oracle", "stopped", "halving", "always each version / oracle");
  std::vector<double> ours;
  std::vector<double> rivals;
  for (const Setting& setting : bench.settings) {
    const Cell cell = cell_of(bench, setting, 0.9);
    const RecordedStudy& study = bench.studies[setting.study];
    const Oracle oracle = oracle_of(bench, setting, cell);
    if (is_out_of_reach(setting, oracle)) continue;
    std::vector<double> money;
    std::vector<double> halves;
    std::vector<double> confirmed;
    int abandoned = 0;
    for (std::uint32_t r = 0; r < bench.replays; ++r) {
      const Outcome out = replay(study, cell, random_of(setting, 1000 + r), {.best_effort = true});
      abandoned += out.abandoned;
      money.push_back(out.money / oracle.money);
      if (out.stopped) confirmed.push_back(out.certified ? 1 : 0);
      halves.push_back(halving(study, cell, random_of(setting, 1000 + r)).money / oracle.money);
    }
    ours.push_back(mean_of(money));
    rivals.push_back(mean_of(halves));
    std::printf("%-22s %8.0f %-10s %6.2f +- %4.2f %8.2f %8.2f ", setting.name.c_str(), oracle.money,
                study.versions[oracle.version].name.c_str(), ours.back(), error_of(money),
                mean_of(confirmed), rivals.back());
    for (const double each : oracle.by_version) std::printf(" %.2f", each / oracle.money);
    std::printf("  (oracle confirmed %.2f)", oracle.confirmed);
    if (abandoned > 0) std::printf("  %d abandoned after %u attempts", abandoned, kAttemptsMax);
    std::printf("\n");
    std::fflush(stdout);
  }
  if (ours.empty()) return;
  bench.report.add({"first_job",
                    "mean over cells, money / oracle's",
                    {mean_of(ours)},
                    {{"halving", {mean_of(rivals)}}},
                    false});
  bench.report.add({"first_job_worst",
                    "worst cell, money / oracle's",
                    {*std::ranges::max_element(ours)},
                    {{"halving", {*std::ranges::max_element(rivals)}}},
                    false});
}

// Measures the cost of the margin between the target and the metric at which training stops, and
// whether the certifying half agrees. All runs use the oracle's version, which is known to be the
// cheapest on average.
void margin(Bench& bench) {
  constexpr std::uint32_t kRuns = 2000;
  std::printf("\n%-22s", "margin: certified/cost");
  constexpr std::array<double, 4> kPromised{0.8, 0.9, 0.95, 0.99};
  for (const double promised : kPromised) std::printf("  %14.2f", promised);
  std::printf("\n");
  double worst_cost = 0;
  double worst_short = 0;
  for (const Setting& setting : bench.settings) {
    if (setting.prices != 0) continue;
    const RecordedStudy& study = bench.studies[setting.study];
    const std::size_t version = oracle_of(bench, setting, cell_of(bench, setting, 0.9)).version;
    const auto run = [&](double promised) {
      const Cell cell = cell_of(bench, setting, promised);
      std::vector<double> money;
      std::vector<double> certified;
      for (std::uint32_t r = 0; r < kRuns; ++r) {
        const Outcome out = always(study, cell, version, random_of(setting, r));
        money.push_back(out.money);
        if (out.stopped) certified.push_back(out.certified ? 1 : 0);
      }
      return std::pair(mean_of(money), mean_of(certified));
    };
    const double bare = run(0).first;  // Without a promise there is no margin.
    std::printf("%-22s", setting.name.c_str());
    for (const double promised : kPromised) {
      const auto [money, certified] = run(promised);
      std::printf("  %5.3f (%5.2f)", certified, money / bare);
      worst_short = std::max(worst_short, (1 + promised) / 2 - certified);
      if (promised == 0.9) worst_cost = std::max(worst_cost, money / bare);
    }
    std::printf("\n");
  }
  bench.report.add({"margin_cost", "worst cell, money with / without", {worst_cost}, {}, false});
  bench.report.add({"certified_of_stopped",
                    "worst cell and promise: short of (1 + promised) / 2 by",
                    {worst_short},
                    {},
                    false});
}

// The second job of its kind on the same data, which has the knowledge of the first one.
void second_job(Bench& bench) {
  std::printf("\n%-22s %14s %14s %8s %9s\n", "second job", "first/oracle", "second/oracle",
              "stopped", "at issue");
  std::vector<double> firsts;
  std::vector<double> seconds;
  for (const Setting& setting : bench.settings) {
    const Cell cell = cell_of(bench, setting, 0.9);
    const RecordedStudy& study = bench.studies[setting.study];
    const Oracle oracle = oracle_of(bench, setting, cell);
    if (is_out_of_reach(setting, oracle)) continue;
    std::vector<double> first;
    std::vector<double> second;
    std::vector<double> confirmed;
    std::vector<double> at_issue;
    for (std::uint32_t r = 0; r < bench.replays; ++r) {
      const Outcome before =
          replay(study, cell, random_of(setting, 3000 + r), {.best_effort = true});
      first.push_back(before.money / oracle.money);
      const Outcome out = replay(study, cell, random_of(setting, 4000 + r),
                                 {.best_effort = true, .earlier = before.earlier_jobs});
      second.push_back(out.money / oracle.money);
      if (out.stopped) confirmed.push_back(out.certified ? 1 : 0);
      if (out.promised_at) at_issue.push_back(*out.promised_at / oracle.money);
    }
    firsts.push_back(mean_of(first));
    seconds.push_back(mean_of(second));
    std::printf("%-22s %6.2f +- %4.2f %6.2f +- %4.2f %8.2f %4.2f (%zu)\n", setting.name.c_str(),
                firsts.back(), error_of(first), seconds.back(), error_of(second),
                mean_of(confirmed), mean_of(at_issue), at_issue.size());
    std::fflush(stdout);
  }
  bench.report.add({"second_job",
                    "mean over cells, money / oracle's",
                    {mean_of(seconds)},
                    {{"first job", {mean_of(firsts)}}},
                    false});
}

// The chance that a promise by counts is ever false, if it is checked after each of 30 jobs. The
// result is exact, for a share of good attempts and a number of attempts that the job has room for.
double ever_false(double share, std::uint32_t room, double promised) {
  if (plan::one_is_good(share, room, 0) >= promised) return 0;  // The promise is true in this case.
  std::vector<double> by_good{1};
  double wrong = 0;
  for (std::uint32_t n = 1; n <= 30; ++n) {
    std::vector<double> next(n + 1);
    for (std::uint32_t good = 0; good < n; ++good) {
      next[good + 1] += by_good[good] * share;
      next[good] += by_good[good] * (1 - share);
    }
    for (std::uint32_t good = 0; good <= n; ++good) {
      const double claimed = plan::good_share(good, n - good, 0.9);
      if (plan::one_is_good(claimed, room, 0.1) < promised) continue;
      wrong += std::exchange(next[good], 0);
    }
    by_good = std::move(next);
  }
  return wrong;
}

void bound_by_counts(Bench& bench) {
  double worst = 0;
  for (std::uint32_t room = 1; room <= 6; ++room) {
    for (int i = 1; i < 100; ++i) worst = std::max(worst, ever_false(0.01 * i, room, 0.9));
  }
  std::printf("\nbound by counts: a promise of 0.9 is ever false with %.4f at most\n", worst);
  bench.report.add(
      {"bound_by_counts", "chance of a false promise, worst share and room", {worst}, {}, false});
}

// Runs ten jobs, one after the other, and then jobs that promise 0.99 and have room for about four
// attempts of the passes that they are allotted: about twice as many as one needs.
void restart_gain(Bench& bench) {
  constexpr std::uint32_t kJobs = 10;
  constexpr std::uint32_t kChains = 20;
  std::printf("\n%-22s %9s %9s %9s  %s\n", "restart gain (0.99)", "by counts", "issued", "kept",
              "jobs");
  std::vector<double> issued_all;
  std::vector<double> kept_all;
  for (const Setting& setting : bench.settings) {
    if (setting.prices != 0) continue;
    Cell cell = cell_of(bench, setting, 0.99);
    if (is_out_of_reach(setting, oracle_of(bench, setting, cell))) continue;
    const RecordedStudy& study = bench.studies[setting.study];
    double jobs = 0;
    double early = 0;
    double issued = 0;
    double kept = 0;
    for (std::uint32_t chain = 0; chain < kChains; ++chain) {
      std::optional<plan::EarlierJobs> earlier;
      std::vector<double> money;
      for (std::uint32_t job = 0; job < kJobs; ++job) {
        const Random base_random = random_of(setting, 10000 + 100 * chain + job);
        Outcome out = replay(study, cell, base_random, {.best_effort = true, .earlier = earlier});
        earlier = std::move(out.earlier_jobs);
        money.push_back(out.money);
      }
      Cell next = cell;
      next.deadline_s = 8 * surety::quantile(money, 0.9);
      for (std::uint32_t r = 0; r < std::max(1u, bench.replays / kChains); ++r) {
        const Random base_random = random_of(setting, 20000 + 100 * chain + r);
        const Outcome out = replay(study, next, base_random, {.earlier = earlier});
        ++jobs;
        if (!out.promised_at) continue;
        ++issued;
        kept += out.certified;
        early += out.promised_by_counts;
      }
    }
    std::printf("%-22s %9.2f %9.2f %9.3f  %.0f\n", setting.name.c_str(), early / jobs,
                issued / jobs, issued > 0 ? kept / issued : 0, jobs);
    std::fflush(stdout);
    issued_all.push_back(issued / jobs);
    if (issued > 0) kept_all.push_back(kept / issued);
  }
  bench.report.add({"restart_gain",
                    "mean over cells: jobs that promise 0.99",
                    {mean_of(issued_all)},
                    {{"kept of them", {mean_of(kept_all)}}},
                    true});
}

void promises(Bench& bench, const Options& options) {
  for (const double probability : {0.8, 0.9, 0.95}) {
    char name[32];
    std::snprintf(name, sizeof name, "kept_%03.0f", 100 * probability);
    if (!options.wants(name) && options.only != "refusals") continue;
    std::printf("\n%-22s %5s %7s %7s %9s %7s %7s %8s %9s %7s %7s\n", name, "time", "oracle",
                "issued", "kept", "first", "refused", "falsely", "at issue", "at end", "late");
    double worst = 1;
    double falsely_worst = 0;
    for (const Setting& setting : bench.settings) {
      for (const double medians : {1.5, 2.0}) {
        Cell cell = cell_of(bench, setting, probability);
        const RecordedStudy& study = bench.studies[setting.study];
        const Oracle oracle = oracle_of(bench, setting, cell);
        if (is_out_of_reach(setting, oracle)) continue;
        cell.deadline_s = medians * oracle.median_s;
        double issued = 0;
        double kept = 0;
        double first = 0;
        double refused = 0;
        double falsely = 0;
        double late = 0;
        double keeps = 0;
        // The job had no promise and did not stop, but its best model was certified.
        double by_chance = 0;
        std::vector<double> at_issue;
        for (std::uint32_t r = 0; r < bench.replays; ++r) {
          const Random base_random = random_of(setting, 2000 + r);
          const Outcome out = replay(study, cell, base_random);
          const Outcome best = always(study, cell, oracle.version, base_random);
          keeps += best.certified;
          if (out.refused) {
            ++refused;
            falsely += replay(study, cell, base_random, {.best_effort = true}).certified;
          } else if (out.promised_at) {
            ++issued;
            kept += out.certified;
            at_issue.push_back(*out.promised_at / oracle.money);
          } else if (out.stopped) {
            ++first;
          } else if (out.certified) {
            ++by_chance;
          } else {
            ++late;
          }
        }
        const double n = bench.replays;
        std::printf("%-22s %5.1f %7.2f %7.2f %5.0f/%-4.0f %6.2f %7.2f %8.3f %9.2f %7.2f %7.2f\n",
                    setting.name.c_str(), medians, keeps / n, issued / n, kept, issued, first / n,
                    refused / n, falsely / n, mean_of(at_issue), by_chance / n, late / n);
        std::fflush(stdout);
        if (issued >= 100) {
          const double share = kept / issued;
          worst = std::min(worst, share + 2 * std::sqrt(share * (1 - share) / issued));
        }
        falsely_worst = std::max(falsely_worst, falsely / n);
      }
    }
    bench.report.add({name, "worst cell, kept of issued + 2 se", {worst}, {}, true});
    std::snprintf(name, sizeof name, "false_refusals_%03.0f", 100 * probability);
    bench.report.add({name, "worst cell, share of jobs", {falsely_worst}, {}, false});
  }
}

// The smallest metric of all recorded runs, on the deciding half of one division.
double least_metric(const RecordedStudy& study) {
  Random random(1);
  const JobDivision division(study, random);
  double least = study.untrained;
  for (const RecordedVersion& version : study.versions) {
    for (const RecordedRun& run : version.runs) {
      const std::vector<PassMetrics> seen = division.metrics_of(run);
      for (std::size_t pass = 1; pass < seen.size(); ++pass) {
        least = std::min(least, seen[pass].decide);
      }
    }
  }
  return least;
}

// Runs jobs whose target lies below every metric that was recorded, with twice the time that the
// hardest target in reach takes. Measures what they spend until they are refused.
void true_refusals(Bench& bench) {
  constexpr double kBelowEveryFloor = 0.7;
  std::printf("\n%-22s %7s %14s\n", "target below floors", "refused", "money/oracle's");
  double worst = 0;
  for (std::size_t i = 0; i < bench.settings.size(); ++i) {
    const Setting& setting = bench.settings[i];
    const RecordedStudy& study = bench.studies[setting.study];
    // The targets of a study are in falling order, each with three vectors of prices.
    const bool is_last =
        std::none_of(bench.settings.begin(), bench.settings.end(), [&](const Setting& other) {
          if (other.study != setting.study || other.prices != setting.prices) return false;
          if (other.target >= setting.target) return false;
          return oracle_of(bench, other, cell_of(bench, other, 0.9)).out_of_reach <= 0.01;
        });
    Cell cell = cell_of(bench, setting, 0.9);
    const Oracle oracle = oracle_of(bench, setting, cell);
    if (!is_last || is_out_of_reach(setting, oracle)) continue;
    cell.target = kBelowEveryFloor * least_metric(study);
    cell.deadline_s = 2 * oracle.median_s;
    std::vector<double> money;
    double refused = 0;
    for (std::uint32_t r = 0; r < bench.replays; ++r) {
      const Outcome out = replay(study, cell, random_of(setting, 7000 + r));
      refused += out.refused;
      money.push_back(std::min(out.money, cell.deadline_s) / oracle.money);
    }
    std::printf("%-22s %7.2f %6.2f +- %4.2f\n", setting.name.c_str(), refused / bench.replays,
                mean_of(money), error_of(money));
    std::fflush(stdout);
    worst = std::max(worst, mean_of(money));
  }
  bench.report.add({"true_refusals",
                    "worst cell, money before refusing / a feasible job's",
                    {worst},
                    {},
                    false});
}

int run(int argc, char** argv) {
  Bench bench;
  bench.folder = "bench/plan_real";
  std::string only_setting;
  const Options options = parse_options(
      "The cost of a promise, and whether it is kept: replays of recorded training runs.", argc,
      argv, [&](CLI::App& app) {
        app.add_option("--replays", bench.replays, "Jobs for each cell");
        app.add_option("--studies", bench.folder, "Folder of recorded studies");
        app.add_option("--setting", only_setting, "Only cells whose name begins with this");
        app.add_option("--seeds", bench.seeds, "Recorded runs to replay: all, calibrate or judge")
            ->transform(CLI::CheckedTransformer(std::map<std::string, Seeds>{
                {"all", Seeds::kAll}, {"calibrate", Seeds::kCalibrate}, {"judge", Seeds::kJudge}}));
      });
  if (options.quick) bench.replays = 4;
  if (!read_studies(bench)) return 1;
  add_settings(only_setting, bench);
  if (options.wants("first_job")) first_job(bench);
  if (options.wants("margin")) margin(bench);
  if (options.wants("second_job")) second_job(bench);
  if (options.wants("bound_by_counts")) bound_by_counts(bench);
  if (options.wants("restart_gain")) restart_gain(bench);
  promises(bench, options);
  if (options.wants("true_refusals") || options.only == "refusals") true_refusals(bench);
  if (options.wants("calibration")) calibration(bench);
  if (options.wants("races")) races(bench);
  return bench.report.write(options) ? 0 : 1;
}

}  // namespace
}  // namespace surety::bench

int main(int argc, char** argv) { return surety::bench::run(argc, argv); }
