// What one real run came to, and the file in which runs are collected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::bench {

inline constexpr const char* kOurs = "run";  // Of RunKey::way.

// Which run it is: a run with the same key is not run again.
struct RunKey {
  std::string job;  // digits, mnist
  std::string way;  // kOurs, or a baseline: "train full", "train prune:0.5"
  double probability = 0.9;
  double deadline_s = 0;
  std::uint32_t index = 0;

  friend bool operator==(const RunKey&, const RunKey&) = default;
};

// Another one for each probability, so that kept promises are counted on runs that share nothing.
// Baselines promise nothing: theirs are those of 0.9, the same data and load.
[[nodiscard]] std::uint64_t seed_of(const RunKey& key);
[[nodiscard]] bool is_loaded(const RunKey& key);  // Every second one runs beside a changing load.

struct Record {
  RunKey key;
  int exit_code = 0;    // 128 + N where signal N ended it.
  std::string verdict;  // As certified; "none" without a certificate.
  double run_s = 0;     // As certified.
  double wall_s = 0;    // Of the whole command.
  double cost = 0;
  std::optional<double> stated_s;      // When a promise was stated, since the run began.
  std::optional<double> stated_lower;  // The probability at least with which it was stated.
  std::uint32_t attempts = 0, passes = 0;
  std::string versions;  // Trained, in their order: "prune:0.5>full".
  // Metric of the last evaluation, and certified, with their standard errors.
  std::optional<double> deciding, deciding_se, certified, certified_se;
  double gather_s = 0, train_s = 0, certify_s = 0, other_s = 0;
  double load_threads = 0;  // Mean of the load beside it.
  double machine_load = 0;  // Of the machine when it began, by whomever.
  std::string odd;          // What is wrong with it; empty: nothing.
  std::string stop_reason;
};

// Reads what a certificate says into `record`: all but key, exit code, wall time and loads.
// InvalidInput where it is none.
[[nodiscard]] Result<void> read_certificate(std::string_view json, Record& record);

// What contradicts itself: a verdict that the numbers or the exit code do not bear out. Empty:
// nothing. `target`: of the promise, a loss.
[[nodiscard]] std::string oddity_of(const Record& record, double target);

[[nodiscard]] std::string csv_head();
[[nodiscard]] std::string to_csv(const Record& record);  // One line, with its break.
// InvalidInput naming the line. A last line without its break was cut off, and is left out.
[[nodiscard]] Result<std::vector<Record>> records_from_csv(std::string_view text);

}  // namespace surety::bench
