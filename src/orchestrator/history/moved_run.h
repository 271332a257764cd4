// A run's folder may be moved or copied before the run is resumed. Its journal names checkpoints by
// the folder in which they were written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "proto/surety.pb.h"

namespace surety::orchestrator {

// The path of a journal's checkpoint in the run's current folder, whose checkpoints are in
// `checkpoints`: "/old/run/checkpoints/pass-0007" becomes CHECKPOINTS + "/pass-0007". A path
// without a checkpoints folder is returned unchanged.
[[nodiscard]] std::string relocated_checkpoint(const std::string& recorded,
                                               std::string_view checkpoints);

// Applies relocated_checkpoint() to the checkpoints from which the run may go on. Those that are
// certified or dropped keep their recorded paths, because the certificate states what the journal
// says.
void locate_checkpoints(proto::JournalRecord& record, std::string_view checkpoints);

// Whether two paths of a run's records name the same checkpoint. The run may have been moved
// between the two records.
[[nodiscard]] bool is_same_checkpoint(const std::string& a, const std::string& b);

// The last record of the checkpoint with this path; null if there is none. It points into
// `records`.
[[nodiscard]] const proto::CheckpointCommitted* committed_at(
    std::span<const proto::JournalRecord> records, const std::string& folder);

}  // namespace surety::orchestrator
