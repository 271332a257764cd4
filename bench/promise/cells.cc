#include "cells.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/statistics.h"

namespace surety::bench {
namespace {

constexpr double kOutOfReachMax = 0.01;

constexpr std::uint32_t kPasses = 14;

const std::vector<Cells>& all_cells() {
  const std::vector<std::vector<double>> mnist_prices{{100, 39, 24}, {100, 80, 65}, {100, 58, 10}};
  static const std::vector<Cells> all = {
      {"mnist", {0.40, 0.22, 0.18, 0.15}, mnist_prices},
      {"mnist-raw", {0.40, 0.22, 0.18, 0.15}, mnist_prices},
      {"cifar10", {2.0, 1.8, 1.7}, {{100, 33, 16}, {100, 68, 43}, {100, 58, 10}}}};
  return all;
}

}  // namespace

bool read_studies(Bench& bench) {
  bench.studies.clear();
  bench.cells.clear();
  for (const Cells& cells : all_cells()) {
    const std::filesystem::path file = bench.folder / cells.study / "trajectories.csv";
    if (!std::filesystem::exists(file)) {
      std::printf("%s: not recorded\n", file.c_str());
      continue;
    }
    auto study = read_recorded(cells.study, file, kPasses, bench.seeds);
    if (!study) {
      std::fprintf(stderr, "%s\n", study.error().message.c_str());
      return false;
    }
    if (study->versions.size() != cells.prices.front().size()) {
      std::fprintf(stderr, "%s: found %zu versions, expected %zu\n", file.c_str(),
                   study->versions.size(), cells.prices.front().size());
      return false;
    }
    bench.studies.push_back(std::move(*study));
    bench.cells.push_back(cells);
  }
  if (bench.studies.empty()) {
    std::fprintf(stderr, "--studies: found no recording in %s, expected one\n",
                 bench.folder.c_str());
  }
  return !bench.studies.empty();
}

void add_settings(const std::string& only, Bench& bench) {
  for (std::size_t study = 0; study < bench.studies.size(); ++study) {
    for (const double target : bench.cells[study].targets) {
      for (std::size_t vector = 0; vector < 3; ++vector) {
        char name[64];
        std::snprintf(name, sizeof name, "%s %.2f %s", bench.studies[study].name.c_str(), target,
                      vector == 0   ? "recorded"
                      : vector == 1 ? "alike"
                                    : "cheap");
        if (std::string(name).starts_with(only)) {
          bench.settings.push_back({study, target, vector, name});
        }
      }
    }
  }
}

Cell cell_of(const Bench& bench, const Setting& setting, double probability) {
  Cell cell;
  cell.target = setting.target;
  cell.probability = probability;
  cell.pass_s = bench.cells[setting.study].prices[setting.prices];
  return cell;
}

Random random_of(const Setting& setting, std::uint32_t replay) {
  return Random(0x70726f6du).fork(setting.name, replay);
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : surety::mean(values);
}

double error_of(const std::vector<double>& values) {
  return std::sqrt(surety::variance(values) /
                   static_cast<double>(std::max<std::size_t>(values.size(), 1)));
}

Oracle oracle_of(const Bench& bench, const Setting& setting, const Cell& cell) {
  Oracle oracle;
  const RecordedStudy& study = bench.studies[setting.study];
  for (std::size_t v = 0; v < study.versions.size(); ++v) {
    std::vector<double> money;
    std::vector<double> confirmed;
    double out_of_reach = 0;
    for (std::uint32_t r = 0; r < 500; ++r) {
      const Outcome out = always(study, cell, v, random_of(setting, r));
      money.push_back(out.money);
      out_of_reach += out.attempts > kAttemptsMax ? 0.002 : 0;
      if (out.stopped) confirmed.push_back(out.certified ? 1 : 0);
    }
    oracle.by_version.push_back(mean_of(money));
    if (oracle.by_version.back() >= oracle.money) continue;
    oracle = {
        v,           oracle.by_version.back(), median(money), oracle.by_version, mean_of(confirmed),
        out_of_reach};
  }
  return oracle;
}

bool is_out_of_reach(const Setting& setting, const Oracle& oracle) {
  if (oracle.out_of_reach <= kOutOfReachMax) return false;
  std::printf("%-22s out of reach for %.0f %% of the divisions of the samples\n",
              setting.name.c_str(), 100 * oracle.out_of_reach);
  return true;
}

Interval interval_of(const Tally& tally) {
  if (tally.of <= 0) return {};
  constexpr double kZ = 1.96;
  const double n = tally.of;
  const double p = tally.share();
  const double zz = kZ * kZ / n;
  const double middle = (p + zz / 2) / (1 + zz);
  const double half = kZ / (1 + zz) * std::sqrt(p * (1 - p) / n + zz / (4 * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace surety::bench
