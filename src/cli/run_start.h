// How a run begins, and how it goes on: from a job file or a run's folder to what a coordinator
// needs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "orchestrator/job_machine.h"
#include "runtime/coordinator_file.h"
#include "runtime/journal_file.h"
#include "runtime/leader_seat.h"
#include "runtime/slurm.h"

namespace surety::cli {

struct RunOptions {
  std::string mode;
  std::string job_file;
  std::vector<std::string> sets;
  bool best_effort = false;  // As promise.best_effort=on.
  std::string out;
  std::string token;
  std::string listen;  // In place of the job's; empty: the job's.
  std::string plan_file;
  std::string library;  // Folder of the profile library; empty: the user's own.
  bool resume = false, json = false, quiet = false, verbose = false;
  bool measure_only = false;  // Pause when the promise is stated.
};

struct PreparedRun {
  std::filesystem::path folder;
  std::optional<runtime::CoordinatorFile> before;  // Of the coordinator that this one follows.
  std::optional<runtime::SlurmJob> slurm;
  orchestrator::JobConfig config;
  orchestrator::RunState state;
  double started_unix_s = 0;
  std::unique_ptr<runtime::LeaderSeat> seat;    // Where the job has a standby.
  std::optional<runtime::JournalFile> journal;  // While we are the run's coordinator.
  std::vector<std::string> remarks;             // Lines to be said when it begins.
};

// One linear model's worker does without libtorch and without a network: it is a thread of this
// process. A standby could not go on with it.
[[nodiscard]] bool works_inside(const orchestrator::Job& job);

// ENSURES, where it succeeds: the journal is ours, and its last record says that we lead; unless
// the run has ended.
[[nodiscard]] Result<void> begin_run(const RunOptions& options, PreparedRun& run);
[[nodiscard]] Result<void> resume_run(const RunOptions& options, PreparedRun& run);

// All that can be known and prepared while another one leads the run.
[[nodiscard]] Result<void> look_at_run(const std::filesystem::path& folder, PreparedRun& run);
// The rest, by who leads it now. REQUIRES: look_at_run(), maybe long ago; the seat leads.
[[nodiscard]] Result<void> take_over_run(PreparedRun& run);

}  // namespace surety::cli
