// The options of a run, and all data that a coordinator needs to lead it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/history/run_mode.h"
#include "orchestrator/job/job_machine.h"
#include "runtime/coordinator/lease_holder.h"
#include "runtime/etcd/client.h"
#include "runtime/files/coordinator_file.h"
#include "runtime/files/journal_file.h"
#include "runtime/slurm/slurm.h"

namespace surety::cli {

struct RunOptions {
  orchestrator::RunMode mode = orchestrator::RunMode::kRun;
  // The job file, or the folder of a run to resume. None: the newest unfinished run is resumed.
  std::optional<std::string> job_file;
  std::vector<std::string> sets;
  bool best_effort = false;              // Trains on after a refusal of the promise.
  std::optional<std::string> out;        // Folder of the run; otherwise a new or unfinished one.
  std::optional<std::string> token;      // If absent: the earlier coordinator's, or a random one.
  std::optional<std::string> listen;     // Address to listen on; otherwise the job's.
  std::optional<std::string> plan_file;  // If absent, the settings of the job are used.
  std::optional<std::string> library;  // Folder of the profile library; otherwise the default one.
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
  std::optional<runtime::EtcdKeys> etcd_keys{};        // Set by read_etcd_keys().
  std::unique_ptr<runtime::LeaseHolder> lease_holder;  // Set if the job has a standby.
  std::optional<runtime::JournalFile> journal;  // Set while this process is the run's coordinator.
  // The whole signed journal of a run that has ended, if this process does not have it open.
  std::optional<std::pair<runtime::JournalKey, record::TreeHead>> ended{};
  std::vector<std::string> remarks;   // Lines to print when the run begins.
  std::vector<std::string> warnings;  // About the data. They become a part of the record.
};

}  // namespace surety::cli
