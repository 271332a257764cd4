// A run and the profile library: what it reads when it begins, and what it leaves when it has
// ended.
#pragma once

#include <filesystem>
#include <string>

#include "cli/run_start.h"
#include "orchestrator/run_state.h"

namespace surety::cli {

// The folder that was asked for, or the user's own. InvalidInput where there is neither.
[[nodiscard]] Result<std::filesystem::path> library_folder(const std::string& asked);

// Puts the library, and what it says of this job, into the run's first record; remarks say so.
// REQUIRES: run.config. InvalidInput: a folder that was asked for and cannot be read.
[[nodiscard]] Result<void> learn_from_library(const RunOptions& options, PreparedRun& run,
                                              proto::RunBegan& began);

// What the run has taught, for later jobs; nothing where it began without a library or made no
// pass. A failure is said on stderr: the run itself has ended well.
void leave_in_library(const orchestrator::JobConfig& config, const orchestrator::RunState& state);

}  // namespace surety::cli
