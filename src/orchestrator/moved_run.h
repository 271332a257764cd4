// A run's folder may be moved or copied before it goes on. Its journal names checkpoints by the
// folder in which they were written.
#pragma once

#include <string>
#include <string_view>

#include "proto/surety.pb.h"

namespace surety::orchestrator {

// Where a checkpoint of the journal lies in the run's folder of today, whose checkpoints are in
// `checkpoints`: "/old/run/checkpoints/000007" -> CHECKPOINTS + "/000007". A path without such a
// folder is returned as it is.
[[nodiscard]] std::string checkpoint_here(const std::string& recorded,
                                          std::string_view checkpoints);

// The same for every checkpoint that the record names.
void locate_checkpoints(proto::JournalRecord& record, std::string_view checkpoints);

}  // namespace surety::orchestrator
