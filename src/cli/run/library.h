// How a run uses the profile library: what the run reads from it at the start, and adds to it at
// the end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/run/prepared_run.h"
#include "orchestrator/history/run_state.h"

namespace surety::cli {

// Returns the folder that was asked for, or else the user's default one. InvalidInput if there is
// neither.
[[nodiscard]] Result<std::filesystem::path> library_folder(
    const std::optional<std::string>& requested);

// Writes the library's folder, and what the library knows about this job, into the run's first
// record, and adds remarks about it to `run`.
// REQUIRES: run.config. InvalidInput if the user asked for a folder and it cannot be read.
[[nodiscard]] Result<void> learn_from_library(const RunOptions& options, PreparedRun& run,
                                              proto::RunBegan& began);

// Adds to the library what the run has learned, for later jobs. Does nothing if the run began
// without a library or made no pass. A failure is only reported on stderr, because the run itself
// has ended well.
void add_to_library(const orchestrator::JobConfig& config, const orchestrator::RunState& state);

}  // namespace surety::cli
