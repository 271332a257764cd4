// The Slurm allocation that this process runs in: its identity, and its current nodes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "base/result.h"
#include "base/time.h"
#include "job/job.h"

namespace surety::runtime {

struct SlurmJob {
  std::string id;
  std::vector<std::string> nodes;
};

// Reads SLURM_JOB_ID and SLURM_JOB_NODELIST. InvalidInput if there is no allocation; the message
// explains how to get one.
[[nodiscard]] Result<SlurmJob> slurm_job();

// Fills in what the job file leaves to the allocation: how many workers there may be, and the
// address where they reach this machine. InvalidInput if the job wants more workers than the
// allocation has nodes. REQUIRES: job.cluster.slurm.
[[nodiscard]] Result<void> fit_to_allocation(const SlurmJob& slurm, job::Job& job);

// Polls Slurm for the nodes of the allocation; never waits for the answer.
class SlurmWatch {
 public:
  // `scratch`: a file for Slurm's answers.
  SlurmWatch(std::string job, Duration poll_interval, std::filesystem::path scratch);

  // The nodes, if there is a new answer. A failed poll is repeated at the next interval. It does
  // not mean that nodes are lost: the controller may be busy or restarting.
  [[nodiscard]] std::optional<std::vector<std::string>> poll(Time now);

 private:
  void query_nodes();
  [[nodiscard]] std::optional<std::vector<std::string>> answer() const;

  std::string job_;
  Duration poll_interval_;
  std::filesystem::path scratch_;
  std::optional<posix::Process> query_;
  std::optional<Time> queried_at_;
};

}  // namespace surety::runtime
