// A run's state, read from its folder without touching it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "orchestrator/run_state.h"

namespace surety::cli {

struct ReadRun {
  orchestrator::Job job;
  orchestrator::RunState state;
  std::vector<proto::JournalRecord> records;
  std::uint64_t torn_bytes = 0;  // After the last whole record of the journal.
};

// What the journal lacks, a clause; empty where it is whole. It says nothing of a run that goes on,
// whose coordinator may be in the middle of a record.
[[nodiscard]] std::string torn_words(const ReadRun& run);

// InvalidInput where there is no run, Corrupt where its journal is damaged.
[[nodiscard]] Result<ReadRun> read_run(const std::filesystem::path& folder);

}  // namespace surety::cli
