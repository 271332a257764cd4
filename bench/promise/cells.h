// The cells in which jobs are replayed, and the oracle of each.
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
  std::size_t prices = 0;  // Index into Cells::prices.
  std::string name;
};

// The targets and prices with which a study is used.
struct Cells {
  const char* study;
  std::vector<double> targets;
  // Seconds of a pass by version: as recorded, nearly alike, and with cheap pruned versions.
  std::vector<std::vector<double>> prices;
};

struct Bench {
  std::filesystem::path folder;  // Folder of the recorded studies.
  std::vector<RecordedStudy> studies;
  std::vector<Cells> cells;   // One for each of the studies.
  Seeds seeds = Seeds::kAll;  // Seeds of the runs that the studies contain.
  std::vector<Setting> settings;
  std::uint32_t replays = 200;
  Report report;
};

// The oracle knows beforehand which version is the cheapest on average, and stops by the same rule.
struct Oracle {
  std::size_t version = 0;
  double money = 1e18;
  double median_s = 0;
  std::vector<double> by_version;
  double confirmed = 0;     // Share of its stops that the certifying half confirms.
  double out_of_reach = 0;  // Share of jobs on whose division of the samples it fails.
};

// Fills studies and cells from the recordings in bench.folder, and prints which studies are
// missing. If a recording cannot be used, or if there is none, prints why and returns false.
[[nodiscard]] bool read_studies(Bench& bench);
// Adds a setting for each study, target and vector of prices whose name begins with `only`.
void add_settings(const std::string& only, Bench& bench);

[[nodiscard]] Cell cell_of(const Bench& bench, const Setting& setting, double probability);
[[nodiscard]] Random random_of(const Setting& setting, std::uint32_t replay);
[[nodiscard]] Oracle oracle_of(const Bench& bench, const Setting& setting, const Cell& cell);
// If the oracle fails on too many jobs, prints a message and returns true. Such a cell is not
// judged, because its mean contains jobs that never end.
[[nodiscard]] bool is_out_of_reach(const Setting& setting, const Oracle& oracle);

// Mean of the values; 0 if there are none.
[[nodiscard]] double mean_of(const std::vector<double>& values);
[[nodiscard]] double error_of(const std::vector<double>& values);  // Standard error of the mean.

// Counts how many of a number of cases have a property.
struct Tally {
  double count = 0;
  double of = 0;

  void add(bool counts) {
    count += counts ? 1 : 0;
    ++of;
  }
  [[nodiscard]] double share() const { return of > 0 ? count / of : 0; }
};
// Wilson's interval with a confidence of 95 %.
struct Interval {
  double low = 0;
  double high = 1;
};
[[nodiscard]] Interval interval_of(const Tally& tally);

}  // namespace surety::bench
