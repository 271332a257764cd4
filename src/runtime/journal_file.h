// The journal on disk: what was appended is there after a crash.
//
// RUN/journal.log, and nothing else where one coordinator follows another by --resume. Where they
// follow by election, the one before may still be there, stopped in the middle of a write. So each
// claims a number, 2, 3, ..., by the file journal-N.claim, which can be made once; from then on all
// with lower numbers find that they have been taken over before anything depends on what they
// write. Then it goes on in a file of its own, journal-N.log, which begins as a copy of the last
// one and comes into being whole. The highest number is the journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>
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
  // The same for who was elected: whoever has it open may go on writing, and nobody reads it.
  // `path` is that of journal.log. Unavailable where `leads` says, before the number is claimed,
  // that somebody else may lead by now.
  [[nodiscard]] static Result<JournalFile> take_over(const std::filesystem::path& path,
                                                     const std::function<bool()>& leads,
                                                     std::vector<proto::JournalRecord>& records);

  // Unavailable where the disk is full: nothing of it was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);
  // Every record that must be (must_be_durable()) is durable when it returns. Call it before what
  // depends on them; it costs nothing where none was appended since the last call. Unavailable also
  // where somebody has taken over: then nothing may depend on them.
  [[nodiscard]] Result<void> sync();
  [[nodiscard]] bool is_taken_over() const;

  // The run has ended: journal.log is the whole journal again.
  [[nodiscard]] Result<void> publish() const;

 private:
  JournalFile(posix::FileLock lock, posix::AppendFile file, std::filesystem::path first,
              std::uint32_t number)
      : lock_(std::move(lock)), file_(std::move(file)), first_(std::move(first)), number_(number) {}
  posix::FileLock lock_;
  posix::AppendFile file_;
  std::filesystem::path first_;  // journal.log
  std::uint32_t number_ = 1;
  bool must_sync_ = false;
};

// What a journal holds, read only: for status and verify. `path` is that of journal.log.
[[nodiscard]] Result<orchestrator::JournalContents> read_journal_contents(
    const std::filesystem::path& path);
[[nodiscard]] Result<std::vector<proto::JournalRecord>> read_journal(
    const std::filesystem::path& path);

}  // namespace surety::runtime
