#include "orchestrator/history/moved_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "orchestrator/history/run_folder.h"

namespace surety::orchestrator {

std::string relocated_checkpoint(const std::string& recorded, std::string_view checkpoints) {
  const std::string name = fmt::format("/{}/", run_folder::kCheckpoints);
  const std::size_t at = recorded.rfind(name);
  if (at == std::string::npos) return recorded;
  return fmt::format("{}/{}", checkpoints, recorded.substr(at + name.size()));
}

void locate_checkpoints(proto::JournalRecord& record, std::string_view checkpoints) {
  const auto locate = [&](std::string* path) { *path = relocated_checkpoint(*path, checkpoints); };
  if (record.has_checkpoint_committed()) {
    proto::CheckpointCommitted& committed = *record.mutable_checkpoint_committed();
    locate(committed.mutable_folder());
    for (proto::SavedFile& file : *committed.mutable_files()) locate(file.mutable_path());
  } else if (record.has_run_stopped()) {
    locate(record.mutable_run_stopped()->mutable_checkpoint());
  }
}

bool is_same_checkpoint(const std::string& a, const std::string& b) {
  return relocated_checkpoint(a, "") == relocated_checkpoint(b, "");
}

const proto::CheckpointCommitted* committed_at(std::span<const proto::JournalRecord> records,
                                               const std::string& folder) {
  const auto is_it = [&](const proto::JournalRecord& record) {
    return record.has_checkpoint_committed() &&
           is_same_checkpoint(record.checkpoint_committed().folder(), folder);
  };
  const auto found = std::find_if(records.rbegin(), records.rend(), is_it);
  return found == records.rend() ? nullptr : &found->checkpoint_committed();
}

}  // namespace surety::orchestrator
