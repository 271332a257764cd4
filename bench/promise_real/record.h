// The result of one real run, and the file in which results are collected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::bench {

inline constexpr const char* kOurs = "run";  // A value of RunKey::way.

// Identifies a run; a run with the same key is not made again.
struct RunKey {
  std::string job;  // The job "digits" or "mnist".
  std::string way;  // Either kOurs or a baseline: "train full", "train prune:0.5".
  double probability = 0.9;
  double deadline_s = 0;
  std::uint32_t index = 0;

  friend bool operator==(const RunKey&, const RunKey&) = default;
};

// Each probability has other seeds, so that kept promises are counted on runs that share nothing.
// Baselines promise nothing: they have the seeds, and so the data and load, of probability 0.9.
[[nodiscard]] std::uint64_t seed_of(const RunKey& key);
// Whether the run is beside a changing load; every second run is.
[[nodiscard]] bool is_loaded(const RunKey& key);

struct Record {
  RunKey key;
  int exit_code = 0;    // 128 + N if signal N ended the run.
  std::string verdict;  // Verdict of the certificate; "none" if there is none.
  double run_s = 0;     // Seconds of the run, from the certificate.
  double wall_s = 0;    // Wall seconds of the whole command.
  double cost = 0;
  // Seconds from the start of the run to the statement of the promise.
  std::optional<double> stated_s;
  std::optional<double> stated_lower;  // The least probability with which it was stated.
  std::uint32_t attempts = 0;
  std::uint32_t passes = 0;
  std::string versions;  // Trained versions in their order: "prune:0.5>full".
  // The metric of the last evaluation and the certified one, with their standard errors.
  std::optional<double> deciding;
  std::optional<double> deciding_se;
  std::optional<double> certified;
  std::optional<double> certified_se;
  double gather_s = 0;
  double train_s = 0;
  double certify_s = 0;
  double other_s = 0;
  double load_threads = 0;  // Mean number of busy threads of the load beside it.
  double machine_load = 0;  // Load of the whole machine when the run began.
  std::string anomaly;      // The error in the record; empty if there is none.
  std::string stop_reason;
};

// Copies a certificate into `record`: all fields but key, exit code, wall time and loads.
// InvalidInput if the text is not a certificate.
[[nodiscard]] Result<void> read_certificate(std::string_view json, Record& record);

// Describes a contradiction between the verdict and the numbers or the exit code; empty if there is
// none. `target` is the promise's target, a loss.
[[nodiscard]] std::string anomaly_of(const Record& record, double target);

[[nodiscard]] std::string csv_head();
[[nodiscard]] std::string to_csv(const Record& record);  // One line, with its line break.
// InvalidInput with the number of the wrong line. A last line without a line break was cut off, and
// is ignored.
[[nodiscard]] Result<std::vector<Record>> records_from_csv(std::string_view text);

}  // namespace surety::bench
