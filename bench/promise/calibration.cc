#include "calibration.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace surety::bench {
namespace {

constexpr double kPromised = 0.9;
constexpr std::uint32_t kEvidence = 3;  // Passes, as in the pool.
constexpr double kEarly = 0.6;          // Share of the oracle's money.
// If the oracle keeps fewer, the cell shows nothing about the time at which promises are stated.
constexpr double kOracleKeeps = 0.95;
constexpr std::uint32_t kFewPasses = 4;
// Each row is for this many passes up to the next number.
constexpr std::uint32_t kPassesSeen[] = {3, 4, 6, 9, 14};
constexpr double kChances[] = {0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98};

struct Bin {
  Tally kept;
  double stated = 0;
};
using Bins = std::array<std::array<Bin, std::size(kChances)>, std::size(kPassesSeen)>;

// Results of one level of the quantile.
struct Level {
  Tally issued;               // Promises issued of all jobs.
  Tally kept;                 // Promises kept of those issued.
  std::vector<double> early;  // The share of each cell's jobs with an early promise.
};

template <typename Bounds, typename Value>
std::size_t place(const Bounds& bounds, Value value) {
  std::size_t at = 0;
  while (at + 1 < std::size(bounds) && value >= bounds[at + 1]) ++at;
  return at;
}

// Adds each job once to each row, with its first decision there.
void add(Bins& bins, const Outcome& out) {
  std::optional<std::size_t> row_before;
  for (const ChanceEstimate& estimate : out.estimates) {
    if (estimate.passes < kPassesSeen[0]) continue;
    const std::size_t row = place(kPassesSeen, estimate.passes);
    if (row == row_before) continue;
    row_before = row;
    Bin& bin = bins[row][place(kChances, estimate.mean)];
    bin.kept.add(out.certified);
    bin.stated += estimate.mean;
  }
}

// Money spent when the promise would be stated at this level, by the pool's rule.
std::optional<double> issued_at(const Outcome& out, std::size_t level, std::uint32_t earlier) {
  std::uint32_t on_end = 0;
  for (const ChanceEstimate& estimate : out.estimates) {
    if (estimate.passes + earlier < kEvidence) continue;
    on_end = estimate.low[level] >= kPromised ? on_end + 1 : 0;
    if (on_end == 2) return estimate.money;
  }
  return std::nullopt;
}

void print(const Bins& bins) {
  std::printf("%-8s", "passes");
  for (const double chance : kChances) std::printf("   stated >= %.2f       ", chance);
  std::printf("\n");
  for (std::size_t row = 0; row < bins.size(); ++row) {
    std::printf("%5u+  ", kPassesSeen[row]);
    for (const Bin& bin : bins[row]) {
      if (bin.kept.of == 0) {
        std::printf("  %-21s", "-");
        continue;
      }
      const Interval interval = interval_of(bin.kept);
      std::printf("  %.2f:%.2f(%.2f-%.2f)%-4.0f", bin.stated / bin.kept.of, bin.kept.share(),
                  interval.low, interval.high, bin.kept.of);
    }
    std::printf("\n");
  }
}

using Levels = std::array<Level, std::size(kLevels)>;

void print(const Levels& levels) {
  std::printf("%-8s %8s %10s %18s %s\n", "level", "issued", "kept", "interval",
              "issued early: mean, worst cell");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const Interval interval = interval_of(level.kept);
    std::printf("%-8.3f %8.3f %5.0f/%-5.0f %.3f: %.3f-%.3f %.2f %.2f (%zu cells)\n", kLevels[i],
                level.issued.share(), level.kept.count, level.kept.of, level.kept.share(),
                interval.low, interval.high, mean_of(level.early),
                level.early.empty() ? 0 : *std::ranges::min_element(level.early),
                level.early.size());
  }
}

const char* name_of(Seeds seeds) {
  switch (seeds) {
    case Seeds::kAll:
      return "all recorded runs";
    case Seeds::kCalibrate:
      return "recorded runs to calibrate with";
    case Seeds::kJudge:
      return "recorded runs to judge by";
  }
  return "";
}

// Calibrates on the runs that `bench` has read. If `report` is not null, the share of jobs with an
// early promise goes there.
void run(const Bench& bench, bool earlier_job, Report* report) {
  Bins bins{};
  Levels levels{};
  for (const Setting& setting : bench.settings) {
    const RecordedStudy& study = bench.studies[setting.study];
    const Cell cell = cell_of(bench, setting, kPromised);
    const Oracle oracle = oracle_of(bench, setting, cell);
    if (oracle.out_of_reach > 0.01) continue;
    for (const double medians : {1.5, 2.0}) {
      Cell timed = cell;
      timed.deadline_s = medians * oracle.median_s;
      Tally oracle_keeps;
      std::array<Tally, std::size(kLevels)> early{};
      for (std::uint32_t r = 0; r < bench.replays; ++r) {
        JobOptions options{.best_effort = true};
        if (earlier_job) {
          options.earlier =
              replay(study, cell, random_of(setting, 5000 + r), {.best_effort = true}).earlier_jobs;
        }
        const Random base_random = random_of(setting, 6000 + r);
        const Outcome out = replay(study, timed, base_random, options);
        oracle_keeps.add(always(study, timed, oracle.version, base_random).certified);
        add(bins, out);
        const std::uint32_t known = options.earlier ? options.earlier->passes : 0;
        for (std::size_t i = 0; i < levels.size(); ++i) {
          const auto at = issued_at(out, i, known);
          levels[i].issued.add(at.has_value());
          if (at) levels[i].kept.add(out.certified);
          const bool reached = !at && out.stopped && out.passes < kFewPasses;
          early[i].add(reached || (at && *at <= kEarly * oracle.money));
        }
      }
      if (medians != 2 || oracle_keeps.share() < kOracleKeeps) continue;
      for (std::size_t i = 0; i < levels.size(); ++i) {
        levels[i].early.push_back(early[i].share());
      }
    }
  }
  std::printf("\ncalibration, %s, %s: stated:kept(interval of 95 %%)jobs, by passes seen\n",
              name_of(bench.seeds), earlier_job ? "one earlier job" : "library empty");
  print(bins);
  print(levels);
  std::fflush(stdout);
  if (report == nullptr) return;
  report->add({earlier_job ? "issued_second" : "issued",
               "jobs with a promise of 0.9 by 60 % of the oracle's money",
               {mean_of(levels[0].early)},
               {},
               true});
}

}  // namespace

void calibration(Bench& bench) {
  if (bench.seeds == Seeds::kAll) {
    for (const Seeds half : {Seeds::kCalibrate, Seeds::kJudge}) {
      Bench part = bench;
      part.seeds = half;
      if (read_studies(part)) run(part, false, nullptr);
    }
  }
  run(bench, false, &bench.report);
  run(bench, true, &bench.report);
}

}  // namespace surety::bench
