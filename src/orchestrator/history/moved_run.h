// A run's folder may be moved or copied before the run is resumed. Its journal names checkpoints by
// the folder in which they were written.
#pragma once

#include <string>
#include <string_view>

#include "proto/surety.pb.h"

namespace surety::orchestrator {

// The path of a journal's checkpoint in the run's current folder, whose checkpoints are in
// `checkpoints`: "/old/run/checkpoints/000007" becomes CHECKPOINTS + "/000007". A path without a
// checkpoints folder is returned unchanged.
[[nodiscard]] std::string relocated_checkpoint(const std::string& recorded,
                                               std::string_view checkpoints);

// Applies relocated_checkpoint() to every checkpoint that the record names.
void locate_checkpoints(proto::JournalRecord& record, std::string_view checkpoints);

}  // namespace surety::orchestrator
