// The journal on disk: what was appended is there after a crash.
#pragma once

#include <filesystem>
#include <vector>

#include "base/posix/file.h"
#include "base/result.h"
#include "orchestrator/journal.h"

namespace surety::runtime {

class JournalFile {
 public:
  // A new journal. InvalidInput where there is one already.
  [[nodiscard]] static Result<JournalFile> create(const std::filesystem::path& path);
  // An existing one, its torn tail cut off; `records` gets what it holds.
  [[nodiscard]] static Result<JournalFile> open(const std::filesystem::path& path,
                                                std::vector<proto::JournalRecord>& records);

  // Durable when it returns, or with the next record that must be (must_be_durable()). Unavailable
  // where the disk is full: nothing of it was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);

 private:
  explicit JournalFile(posix::AppendFile file) : file_(std::move(file)) {}
  posix::AppendFile file_;
};

// What a journal holds, read only: for status and verify.
[[nodiscard]] Result<std::vector<proto::JournalRecord>> read_journal(
    const std::filesystem::path& path);

}  // namespace surety::runtime
