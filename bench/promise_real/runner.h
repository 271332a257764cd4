// Runs of the surety program that lies beside this one, each as a user would start it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record.h"

namespace surety::bench {

// A job file of examples/, and what is asked of it.
struct RealJob {
  std::string name;  // digits, mnist
  std::filesystem::path file;
  std::filesystem::path data;         // Folder of its files; empty: it needs none.
  double deadline_s = 0;              // Asked for instead of the job's own; 0: the job's own.
  std::vector<std::string> versions;  // That baselines train.
};

// What `--set` says of one run: another seed, for digits other data too, and the promise.
[[nodiscard]] std::vector<std::string> sets_of(const RealJob& job, const RunKey& key);

class Runner {
 public:
  // `folder` gets a folder of each run. Those of runs that were kept, with nothing odd about them,
  // are removed again.
  explicit Runner(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The deadline of the job as it is, in seconds.
  [[nodiscard]] static Result<double> deadline_of(const RealJob& job);

  // A run that crashes or hangs is a record too; an error is one of this benchmark.
  [[nodiscard]] Result<Record> run(const RealJob& job, const RunKey& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace surety::bench
