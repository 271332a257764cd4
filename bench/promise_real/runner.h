// Runs the surety program in the same folder as this one, as a user would start it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record.h"

namespace surety::bench {

// A job file of examples/, with the settings of this benchmark.
struct RealJob {
  std::string name;  // The job "digits" or "mnist".
  std::filesystem::path file;
  std::filesystem::path data;         // Folder of its data files; empty if it needs none.
  double deadline_s = 0;              // Replaces the job's deadline; 0 means the job's own.
  std::vector<std::string> versions;  // Versions that baselines train.
};

// The `--set` values of one run: its seed, for digits also its data, and the promise.
[[nodiscard]] std::vector<std::string> sets_of(const RealJob& job, const RunKey& key);

class Runner {
 public:
  // Each run gets a folder in `folder`. The folder is removed again if the run kept its promise and
  // its record has no error.
  explicit Runner(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The deadline of the job file, in seconds.
  [[nodiscard]] static Result<double> deadline_of(const RealJob& job);

  // A run that crashes or hangs also gives a record. An error is a failure of this benchmark.
  [[nodiscard]] Result<Record> run(const RealJob& job, const RunKey& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace surety::bench
