// What a promise costs, and whether it is kept: jobs replayed on recorded training runs.
//
//   scripts/bench promise [--only first_job|second_job|kept_090|...] [--replays N] [--studies
//   FOLDER]
//
// The oracle knows beforehand which version is the cheapest on average, and has the same rule to
// stop. Cells: seven targets, three vectors of prices.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/report.h"
#include "plan/statistics.h"
#include "replay.h"

namespace surety::bench {
namespace {

struct Setting {
  std::size_t study = 0;
  double target = 0;
  std::size_t prices = 0;
  std::string name;
};

constexpr std::uint32_t kPasses = 14;

struct Bench {
  std::vector<RecordedStudy> studies;
  std::vector<Setting> settings;
  std::uint32_t replays = 200;
  Report report;
};

// Seconds of a pass by version: as recorded, nearly alike, and cheap pruned ones.
const std::vector<std::vector<std::vector<double>>>& prices() {
  static const std::vector<std::vector<std::vector<double>>> all = {
      {{100, 39, 24}, {100, 80, 65}, {100, 58, 10}},   // mnist
      {{100, 33, 16}, {100, 68, 43}, {100, 58, 10}}};  // cifar10
  return all;
}

Cell cell_of(const Setting& setting, double probability) {
  Cell cell;
  cell.target = setting.target;
  cell.probability = probability;
  cell.pass_s = prices()[setting.study][setting.prices];
  return cell;
}

Random luck_of(const Setting& setting, std::uint32_t replay) {
  return Random(0x70726f6du).fork(setting.name, replay);
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : plan::mean(values);
}

double error_of(const std::vector<double>& values) {
  return std::sqrt(plan::variance(values) /
                   static_cast<double>(std::max<std::size_t>(values.size(), 1)));
}

struct Oracle {
  std::size_t version = 0;
  double money = 1e18, median_s = 0;
  std::vector<double> by_version;
  double confirmed = 0;  // Share of its stops that the certifying half agrees with.
};

Oracle oracle_of(const Bench& bench, const Setting& setting, const Cell& cell) {
  Oracle oracle;
  const RecordedStudy& study = bench.studies[setting.study];
  for (std::size_t v = 0; v < study.versions.size(); ++v) {
    std::vector<double> money, confirmed;
    for (std::uint32_t r = 0; r < 500; ++r) {
      const Outcome out = always(study, cell, v, luck_of(setting, r));
      money.push_back(out.money);
      if (out.stopped) confirmed.push_back(out.certified ? 1 : 0);
    }
    oracle.by_version.push_back(mean_of(money));
    if (oracle.by_version.back() >= oracle.money) continue;
    oracle = {v, oracle.by_version.back(), median(money), oracle.by_version, mean_of(confirmed)};
  }
  return oracle;
}

void first_job(Bench& bench) {
  std::printf("\n%-22s %8s %-10s %14s %8s %8s  %s\n", "first job", "oracle", "version",
              "ours/oracle", "stopped", "halving", "always each version / oracle");
  std::vector<double> ours, rivals;
  for (const Setting& setting : bench.settings) {
    const Cell cell = cell_of(setting, 0.9);
    const RecordedStudy& study = bench.studies[setting.study];
    const Oracle oracle = oracle_of(bench, setting, cell);
    std::vector<double> money, halves, confirmed;
    for (std::uint32_t r = 0; r < bench.replays; ++r) {
      const Outcome out = replay(study, cell, luck_of(setting, 1000 + r), {.best_effort = true});
      money.push_back(out.money / oracle.money);
      if (out.stopped) confirmed.push_back(out.certified ? 1 : 0);
      halves.push_back(halving(study, cell, luck_of(setting, 1000 + r)).money / oracle.money);
    }
    ours.push_back(mean_of(money));
    rivals.push_back(mean_of(halves));
    std::printf("%-22s %8.0f %-10s %6.2f +- %4.2f %8.2f %8.2f ", setting.name.c_str(), oracle.money,
                study.versions[oracle.version].name.c_str(), ours.back(), error_of(money),
                mean_of(confirmed), rivals.back());
    for (const double each : oracle.by_version) std::printf(" %.2f", each / oracle.money);
    std::printf("  (oracle confirmed %.2f)\n", oracle.confirmed);
    std::fflush(stdout);
  }
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

// The second job of its kind, on the same data: it knows what the first one has learned.
void second_job(Bench& bench) {
  std::printf("\n%-22s %14s %14s %8s %9s\n", "second job", "first/oracle", "second/oracle",
              "stopped", "at issue");
  std::vector<double> firsts, seconds;
  for (const Setting& setting : bench.settings) {
    const Cell cell = cell_of(setting, 0.9);
    const RecordedStudy& study = bench.studies[setting.study];
    const Oracle oracle = oracle_of(bench, setting, cell);
    std::vector<double> first, second, confirmed, at_issue;
    for (std::uint32_t r = 0; r < bench.replays; ++r) {
      const Outcome before = replay(study, cell, luck_of(setting, 3000 + r), {.best_effort = true});
      first.push_back(before.money / oracle.money);
      const Outcome out = replay(study, cell, luck_of(setting, 4000 + r),
                                 {.best_effort = true, .earlier = before.lessons});
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

void promises(Bench& bench, const Options& options) {
  for (const double probability : {0.8, 0.9, 0.95}) {
    char name[32];
    std::snprintf(name, sizeof name, "kept_%03.0f", 100 * probability);
    if (!options.wants(name) && options.only != "refusals") continue;
    std::printf("\n%-22s %5s %7s %7s %9s %7s %7s %8s %9s %7s\n", name, "time", "oracle", "issued",
                "kept", "first", "refused", "falsely", "at issue", "late");
    double worst = 1, falsely_worst = 0;
    for (const Setting& setting : bench.settings) {
      for (const double medians : {1.5, 2.0}) {
        Cell cell = cell_of(setting, probability);
        const RecordedStudy& study = bench.studies[setting.study];
        const Oracle oracle = oracle_of(bench, setting, cell);
        cell.deadline_s = medians * oracle.median_s;
        double issued = 0, kept = 0, first = 0, refused = 0, falsely = 0, late = 0, keeps = 0;
        std::vector<double> at_issue;
        for (std::uint32_t r = 0; r < bench.replays; ++r) {
          const Random luck = luck_of(setting, 2000 + r);
          const Outcome out = replay(study, cell, luck);
          const Outcome best = always(study, cell, oracle.version, luck);
          keeps += best.certified;
          if (out.refused) {
            ++refused;
            falsely += replay(study, cell, luck, {.best_effort = true}).certified;
          } else if (out.promised_at) {
            ++issued;
            kept += out.certified;
            at_issue.push_back(*out.promised_at / oracle.money);
          } else if (out.stopped) {
            ++first;
          } else {
            ++late;
          }
        }
        const double n = bench.replays;
        std::printf("%-22s %5.1f %7.2f %7.2f %5.0f/%-4.0f %6.2f %7.2f %8.3f %9.2f %7.2f\n",
                    setting.name.c_str(), medians, keeps / n, issued / n, kept, issued, first / n,
                    refused / n, falsely / n, mean_of(at_issue), late / n);
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

int run(int argc, char** argv) {
  Bench bench;
  std::string folder = "bench/plan_real", only_setting;
  const Options options = parse_options(
      "What a promise costs, and whether it is kept: replays of recorded training runs.", argc,
      argv, [&](CLI::App& app) {
        app.add_option("--replays", bench.replays, "Jobs a cell");
        app.add_option("--studies", folder, "Folder of recorded studies");
        app.add_option("--setting", only_setting, "Only cells whose name begins with this");
      });
  if (options.quick) bench.replays = 4;
  for (const char* name : {"mnist", "cifar10"}) {
    auto study =
        read_recorded(name, std::filesystem::path(folder) / name / "trajectories.csv", kPasses);
    if (!study) {
      std::fprintf(stderr, "%s\n", study.error().message.c_str());
      return 1;
    }
    bench.studies.push_back(std::move(*study));
  }
  const std::vector<std::vector<double>> targets{{0.40, 0.22, 0.18, 0.15}, {2.0, 1.8, 1.7}};
  for (std::size_t study = 0; study < targets.size(); ++study) {
    for (const double target : targets[study]) {
      for (std::size_t vector = 0; vector < 3; ++vector) {
        char name[64];
        std::snprintf(name, sizeof name, "%s %.2f %s", bench.studies[study].name.c_str(), target,
                      vector == 0   ? "recorded"
                      : vector == 1 ? "alike"
                                    : "cheap");
        if (std::string(name).starts_with(only_setting)) {
          bench.settings.push_back({study, target, vector, name});
        }
      }
    }
  }
  if (options.wants("first_job")) first_job(bench);
  if (options.wants("second_job")) second_job(bench);
  promises(bench, options);
  return bench.report.write(options) ? 0 : 1;
}

}  // namespace
}  // namespace surety::bench

int main(int argc, char** argv) { return surety::bench::run(argc, argv); }
