// The checks of `surety verify` on the signatures of a run (runtime/files/journal_file.h,
// runtime/files/signed_results.h).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/commands/check.h"
#include "cli/run/read_run.h"
#include "record/note.h"

namespace surety::cli {

struct RequiredKeys {
  // The key that must have signed. If it is absent, the key in the journal is used, which does not
  // prove who has signed.
  std::optional<record::Verifier> owner;
  std::vector<record::Verifier> witnesses;  // Each must have signed a checkpoint of the journal.
};

void check_signatures(const std::filesystem::path& folder, const ReadRun& run,
                      const RequiredKeys& keys, std::vector<Check>& checks);

}  // namespace surety::cli
