// What `surety verify` checks of the signatures of a run (runtime/run_signer.h).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/commands/check.h"
#include "cli/run/read_run.h"
#include "record/note.h"

namespace surety::cli {

// `key`: the key that must have signed. Without one, the key that the run names is looked at, and
// nothing is said about who has it.
void check_signatures(const std::filesystem::path& folder, const ReadRun& run,
                      const std::optional<record::Verifier>& key, std::vector<Check>& checks);

}  // namespace surety::cli
