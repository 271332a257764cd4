// The journal on disk: what was appended is there after a crash.
#pragma once

#include <filesystem>
#include <vector>

#include "base/posix/file.h"
#include "base/posix/file_lock.h"
#include "base/result.h"
#include "orchestrator/journal.h"

namespace surety::runtime {

class JournalFile {
 public:
  // A new journal. InvalidInput where there is one already. Whoever has a journal open for writing
  // is the run's coordinator: there is no other one until it ends.
  [[nodiscard]] static Result<JournalFile> create(const std::filesystem::path& path);
  // An existing one, its torn tail cut off; `records` gets what it holds. InvalidInput where its
  // coordinator still runs; nothing was done to it then.
  [[nodiscard]] static Result<JournalFile> open(const std::filesystem::path& path,
                                                std::vector<proto::JournalRecord>& records);

  // Unavailable where the disk is full: nothing of it was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);
  // Every record that must be (must_be_durable()) is durable when it returns. Call it before what
  // depends on them; it costs nothing where none was appended since the last call.
  [[nodiscard]] Result<void> sync();

 private:
  JournalFile(posix::FileLock lock, posix::AppendFile file)
      : lock_(std::move(lock)), file_(std::move(file)) {}
  posix::FileLock lock_;
  posix::AppendFile file_;
  bool must_sync_ = false;
};

// What a journal holds, read only: for status and verify.
[[nodiscard]] Result<std::vector<proto::JournalRecord>> read_journal(
    const std::filesystem::path& path);

}  // namespace surety::runtime
