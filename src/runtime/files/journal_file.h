// The journal on disk: records that were appended and synced are still there after a crash.
//
// If each coordinator follows the last one through --resume, RUN/journal.log is the only journal.
// After an election, the earlier coordinator may still exist, stopped in the middle of a write. So
// each elected coordinator claims a number, 2, 3, ..., with the file journal-N.claim, which can be
// created only once. From then on, a coordinator with a lower number learns that the run was taken
// over before anything depends on its further records. The new coordinator then writes its own
// file, journal-N.log, which begins as a complete copy of the last journal. The file with the
// highest number is the journal.
//
// With a key, journal-N.signed has the signed digest of all records that anything may depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/append_file.h"
#include "base/posix/file_lock.h"
#include "base/result.h"
#include "orchestrator/history/journal.h"
#include "record/note.h"

namespace surety::runtime {

// The key and the name with which a journal is signed.
struct JournalKey {
  std::string origin;  // The name of the record (orchestrator/history/continuation.h).
  record::Signer signer;
};

// How a coordinator continues the journal of an earlier coordinator.
struct Opening {
  std::size_t kept = 0;  // Number of records that are kept; later ones are removed.
  std::optional<JournalKey> key{};
};
// Decides this from the journal and its signed digest.
using OpeningRule = std::function<Result<Opening>(const orchestrator::JournalContents&,
                                                  const std::optional<record::Note>& head)>;

class JournalFile {
 public:
  // Creates a new journal. InvalidInput if there is one already, except one without a complete
  // record: its run was ended before it began, and the new journal takes its place. The process
  // that has a journal open for writing is the run's coordinator: there is no other one until it
  // ends.
  [[nodiscard]] static Result<JournalFile> create(const std::filesystem::path& path,
                                                  std::optional<JournalKey> key = {});
  // Opens an existing journal and cuts off a torn tail; `records` gets its contents. InvalidInput
  // if its coordinator still runs, Corrupt if it is damaged; then nothing was changed. Errors of
  // `rule` change nothing, either; without a rule, all records are kept.
  [[nodiscard]] static Result<JournalFile> open(const std::filesystem::path& path,
                                                std::vector<proto::JournalRecord>& records,
                                                const OpeningRule& rule = {});
  // Like open(), for an elected coordinator. The earlier one may continue to write its own file,
  // which nobody reads. `path` is that of journal.log. Unavailable if `leads` says, before the
  // number is claimed, that another coordinator may lead by now.
  [[nodiscard]] static Result<JournalFile> take_over(const std::filesystem::path& path,
                                                     const std::function<bool()>& leads,
                                                     std::vector<proto::JournalRecord>& records,
                                                     const OpeningRule& rule = {});

  // Unavailable if the disk is full: nothing of the record was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);
  // Makes all records durable that must be (must_be_durable()), and signs them. Call it before
  // anything that depends on them. It does nothing if no such record was appended since the last
  // call. Unavailable also if the run was taken over: then nothing may depend on the records.
  [[nodiscard]] Result<void> sync();
  [[nodiscard]] bool is_taken_over() const;
  // Absent if the journal is not signed.
  [[nodiscard]] const std::optional<JournalKey>& key() const { return key_; }
  // The digest of all records.
  [[nodiscard]] record::TreeHead head() const { return {tree_.size(), tree_.root()}; }

  // To be called when the run has ended: makes journal.log the whole journal again. Errors: those
  // of posix::read_file() and posix::write_file_atomically().
  [[nodiscard]] Result<void> publish() const;

 private:
  JournalFile(posix::FileLock lock, posix::AppendFile file, std::filesystem::path first,
              std::uint32_t number, std::optional<JournalKey> key);
  [[nodiscard]] Result<void> sign() const;
  // Takes over the records that the journal already has.
  void adopt(const orchestrator::JournalContents& contents);
  posix::FileLock lock_;
  posix::AppendFile file_;
  std::filesystem::path first_;  // journal.log
  std::uint32_t number_ = 1;
  bool must_sync_ = false;
  record::MerkleTree tree_;
  std::optional<JournalKey> key_;
};

// Reads a journal without changing it, for status and verify. `path` is that of journal.log.
// Errors: those of posix::read_file(), and Corrupt if the file is no journal or is damaged before
// its end.
[[nodiscard]] Result<orchestrator::JournalContents> read_journal_contents(
    const std::filesystem::path& path);

// The signed digest of the newest journal; absent if nothing was signed. Corrupt: the file is
// damaged.
[[nodiscard]] Result<std::optional<record::Note>> read_signed_head(
    const std::filesystem::path& path);

// Reads a signed note; absent if there is no such file. Corrupt: the file is damaged.
[[nodiscard]] Result<std::optional<record::Note>> read_note(const std::filesystem::path& file);

// The payload of a record as it was written, and the digests of all records. InvalidInput: there is
// no record with this index, from 0. Other errors are those of read_journal_contents().
struct RecordedFact {
  std::string payload;
  record::Digests leaves;
};
[[nodiscard]] Result<RecordedFact> read_fact(const std::filesystem::path& path,
                                             std::uint64_t index);

}  // namespace surety::runtime
