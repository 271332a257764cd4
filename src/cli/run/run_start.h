// How a run begins or is resumed: from a job file, or from a run's folder, to all that a
// coordinator needs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "orchestrator/history/run_mode.h"
#include "orchestrator/job/job_machine.h"
#include "runtime/coordinator/lease_holder.h"
#include "runtime/coordinator_file.h"
#include "runtime/journal_file.h"
#include "runtime/slurm/slurm.h"

namespace surety::cli {

struct RunOptions {
  orchestrator::RunMode mode = orchestrator::RunMode::kRun;
  std::string job_file;
  std::vector<std::string> sets;
  bool best_effort = false;  // The same as promise.best_effort=on in the job.
  std::string out;
  std::string token;
  std::string listen;  // Address to listen on; empty means the job's.
  std::string plan_file;
  std::string library;  // Folder of the profile library; empty means the user's default one.
  bool resume = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool measure_only = false;  // Pauses the run as soon as the promise is stated.
};

struct PreparedRun {
  std::filesystem::path folder;
  std::optional<runtime::CoordinatorFile> before;  // File of the coordinator that this one follows.
  std::optional<runtime::SlurmJob> slurm;
  orchestrator::JobConfig config;
  orchestrator::RunState state;
  double started_unix_s = 0;
  std::unique_ptr<runtime::LeaseHolder> lease_holder;  // Set if the job has a standby.
  std::optional<runtime::JournalFile> journal;  // Set while this process is the run's coordinator.
  std::vector<std::string> remarks;             // Lines to print when the run begins.
};

// Whether the run's one worker is a thread of this process. This needs a linear model (no
// libtorch), one worker (no network), and no standby, which could not continue such a run.
[[nodiscard]] bool runs_in_process(const job::Job& job);

// Begin or resume a run.
// ENSURES on success: the journal belongs to this process, and its last record says that this
// process leads, unless the run has ended.
[[nodiscard]] Result<void> begin_run(const RunOptions& options, PreparedRun& run);
[[nodiscard]] Result<void> resume_run(const RunOptions& options, PreparedRun& run);

// Reads and prepares all that is possible while another coordinator leads the run.
[[nodiscard]] Result<void> prepare_takeover(const std::filesystem::path& folder, PreparedRun& run);
// Prepares the rest once this process leads. REQUIRES: prepare_takeover(), possibly long ago; the
// lease holder leads.
[[nodiscard]] Result<void> take_over_run(PreparedRun& run);

}  // namespace surety::cli
