// The Slurm allocation that this process runs in: what it is, and which nodes it has by now.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "base/result.h"
#include "base/time.h"
#include "orchestrator/job.h"

namespace surety::runtime {

struct SlurmJob {
  std::string id;
  std::vector<std::string> nodes;
};

// From SLURM_JOB_ID and SLURM_JOB_NODELIST. InvalidInput, saying how to get an allocation, where
// there is none.
[[nodiscard]] Result<SlurmJob> slurm_job();

// Fills in what the job file leaves to the allocation: how many workers there may be, and where
// they reach this machine. InvalidInput where the job wants more workers than the allocation has
// nodes. REQUIRES: job.cluster.slurm.
[[nodiscard]] Result<void> fit_to_allocation(const SlurmJob& slurm, orchestrator::Job& job);

// Asks Slurm now and then which nodes the allocation has; never waits for the answer.
class SlurmWatch {
 public:
  // `scratch`: a file for Slurm's answers.
  SlurmWatch(std::string job, Duration look, std::filesystem::path scratch);

  // The nodes, when there is a new answer. A question that fails is asked again next time: a
  // controller that is busy or restarts has not taken nodes away.
  [[nodiscard]] std::optional<std::vector<std::string>> look(Time now);

 private:
  void ask();
  [[nodiscard]] std::optional<std::vector<std::string>> answer() const;

  std::string job_;
  Duration look_;
  std::filesystem::path scratch_;
  std::optional<posix::Process> question_;
  std::optional<Time> asked_;
};

}  // namespace surety::runtime
