// The cells that jobs are replayed in, and the oracle of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "bench/report.h"
#include "bench/studies/recorded.h"
#include "replay.h"

namespace surety::bench {

struct Setting {
  std::size_t study = 0;
  double target = 0;
  std::size_t prices = 0;  // Which vector of them.
  std::string name;
};

// What is asked of a study.
struct Cells {
  const char* study;
  std::vector<double> targets;
  // Seconds of a pass by version: as recorded, nearly alike, and cheap pruned ones.
  std::vector<std::vector<double>> prices;
};

struct Bench {
  std::filesystem::path folder;  // Of the recorded studies.
  std::vector<RecordedStudy> studies;
  std::vector<Cells> cells;   // One for each of the studies.
  Seeds seeds = Seeds::kAll;  // That the studies are of.
  std::vector<Setting> settings;
  std::uint32_t replays = 200;
  Report report;
};

// It knows beforehand which version is the cheapest on average, and stops by the same rule.
struct Oracle {
  std::size_t version = 0;
  double money = 1e18, median_s = 0;
  std::vector<double> by_version;
  double confirmed = 0;     // Share of its stops that the certifying half agrees with.
  double out_of_reach = 0;  // Share of jobs whose division of the samples it fails on.
};

// Fills studies and cells with what is recorded in bench.folder; says on standard output which
// studies are not there. False, after it said why, where a recording cannot be used or there is
// none.
[[nodiscard]] bool read_studies(Bench& bench);
// A setting for each study, target and vector of prices whose name begins with `only`.
void add_settings(const std::string& only, Bench& bench);

[[nodiscard]] Cell cell_of(const Bench& bench, const Setting& setting, double probability);
[[nodiscard]] Random luck_of(const Setting& setting, std::uint32_t replay);
[[nodiscard]] Oracle oracle_of(const Bench& bench, const Setting& setting, const Cell& cell);
// Says so on standard output. Such a cell is not judged: its mean is that of jobs that never end.
[[nodiscard]] bool is_out_of_reach(const Setting& setting, const Oracle& oracle);

[[nodiscard]] double mean_of(const std::vector<double>& values);   // 0 for none.
[[nodiscard]] double error_of(const std::vector<double>& values);  // Standard error of the mean.

// So many of so many.
struct Tally {
  double count = 0, of = 0;

  void add(bool counts) {
    count += counts ? 1 : 0;
    ++of;
  }
  [[nodiscard]] double share() const { return of > 0 ? count / of : 0; }
};
// Wilson's interval of 95 %.
struct Interval {
  double low = 0, high = 1;
};
[[nodiscard]] Interval interval_of(const Tally& tally);

}  // namespace surety::bench
