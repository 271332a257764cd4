// Reads a run's state from its folder, without changing anything there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "orchestrator/history/run_state.h"
#include "record/merkle_tree.h"

namespace surety::cli {

struct ReadRun {
  job::Job job;
  orchestrator::RunState state;
  std::vector<proto::JournalRecord> records;
  record::Digests leaves;        // The digest of each record.
  std::uint64_t torn_bytes = 0;  // Bytes after the last whole record of the journal.
};

// A clause that says what is missing at the end of the journal; empty if the journal is whole. It
// has no meaning while a coordinator works on the run, because the coordinator may be writing a
// record.
[[nodiscard]] std::string torn_words(const ReadRun& run);

// Whether the journal of a run that trains by a plan lacks the plan. Nothing was trained, and the
// run cannot be continued, because only the command that began it knew the plan.
[[nodiscard]] bool ended_before_its_plan(const orchestrator::RunState& state);

// Applies all records to a run's initial state. Corrupt, with the journal and the number of the
// record, if one of them does not fit.
[[nodiscard]] Result<void> replay(orchestrator::RunState& state, const job::Job& job,
                                  const std::vector<proto::JournalRecord>& records,
                                  const std::filesystem::path& journal);

// InvalidInput if there is no run, or if it was ended before its first record was complete. Corrupt
// if its journal is damaged.
[[nodiscard]] Result<ReadRun> read_run(const std::filesystem::path& folder);

}  // namespace surety::cli
