// A run's state, read from its folder without touching it.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "orchestrator/run_state.h"

namespace surety::cli {

struct ReadRun {
  orchestrator::Job job;
  orchestrator::RunState state;
  std::vector<proto::JournalRecord> records;
};

// InvalidInput where there is no run, Corrupt where its journal is damaged.
[[nodiscard]] Result<ReadRun> read_run(const std::filesystem::path& folder);

}  // namespace surety::cli
