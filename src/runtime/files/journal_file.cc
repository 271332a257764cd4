#include "runtime/files/journal_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/posix/fd.h"
#include "base/posix/file.h"
#include "record/checkpoint.h"

namespace surety::runtime {
namespace {

// A journal, and the part of its text that is complete.
struct Read {
  orchestrator::JournalContents contents;
  std::string text;
};

Result<Read> read_whole(const std::filesystem::path& path) {
  SURETY_TRY(std::string text, posix::read_file(path));
  SURETY_TRY(orchestrator::JournalContents contents,
             orchestrator::decode_journal(path.string(), std::as_bytes(std::span(text))));
  text.resize(contents.valid_bytes);
  return Read{std::move(contents), std::move(text)};
}

// "journal.log", "journal-2.log", and so on.
std::filesystem::path numbered(const std::filesystem::path& first, std::uint32_t number) {
  if (number == 1) return first;
  return first.parent_path() /
         fmt::format("{}-{}{}", first.stem().string(), number, first.extension().string());
}

std::filesystem::path claim_of(const std::filesystem::path& first, std::uint32_t number) {
  return numbered(first, number).replace_extension(".claim");
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Number 1 needs no claim.
std::uint32_t last_claimed(const std::filesystem::path& first) {
  std::uint32_t number = 1;
  while (is_there(claim_of(first, number + 1))) ++number;
  return number;
}

// The newest journal up to a number: a coordinator may have ended between its claim and its
// journal.
std::filesystem::path newest_journal(const std::filesystem::path& first, std::uint32_t number) {
  while (number > 1 && !is_there(numbered(first, number))) --number;
  return numbered(first, number);
}

// Makes an empty file; false if it exists already.
Result<bool> create_once(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EEXIST) return false;
  if (fd < 0) return posix::fail_errno(errno, path, "create");
  ::close(fd);
  return true;
}

// Claims the next number. If `leads` returns true after the numbers were read, this coordinator was
// elected after all coordinators that have a number.
Result<std::uint32_t> claim_number(const std::filesystem::path& first,
                                   const std::function<bool()>& leads) {
  for (;;) {
    const std::uint32_t number = last_claimed(first) + 1;
    if (!leads()) {
      return fail(ErrorCode::kUnavailable, "{}: another coordinator may lead the run by now",
                  first.parent_path().string());
    }
    SURETY_TRY(const bool ours, create_once(claim_of(first, number)));
    if (!ours) continue;
    SURETY_TRY(posix::sync_file(first.parent_path()));
    return number;
  }
}

Result<void> begin(posix::AppendFile& file) {
  if (file.length() >= orchestrator::kJournalMagic.size()) return {};
  return file.append(std::as_bytes(std::span(orchestrator::kJournalMagic)));
}

Result<posix::FileLock> lock_run(const std::filesystem::path& path) {
  Result<posix::FileLock> lock = posix::FileLock::take(path);
  if (lock || lock.error().code != ErrorCode::kUnavailable) return lock;
  return fail(ErrorCode::kInvalidInput,
              "{}: the coordinator of this run is still running; a run has only one coordinator",
              path.parent_path().string());
}

// The file with the signed digest of a journal: "journal.signed", "journal-2.signed", and so on.
std::filesystem::path signed_of(std::filesystem::path journal) {
  return journal.replace_extension(".signed");
}

// Removes the records that the rule does not keep. Returns the key with which the rest is signed.
Result<std::optional<JournalKey>> drop_unsigned(Read& read, const std::filesystem::path& path,
                                                const OpeningRule& rule) {
  if (!rule) return std::nullopt;
  const Result<std::optional<record::Note>> head = read_note(signed_of(path));
  if (!head) {
    return fail(head.error().code, "{}; restore it from a copy, or begin a new run",
                head.error().message);
  }
  Result<Opening> opening = rule(read.contents, *head);
  if (!opening) return fail_in(opening.error(), "{}", path.string());
  orchestrator::JournalContents& contents = read.contents;
  if (opening->kept < contents.records.size()) {
    const orchestrator::JournalPayload& first_cut = contents.payloads[opening->kept];
    read.text.resize(first_cut.at - orchestrator::kJournalHeadBytes);
    contents.records.resize(opening->kept);
    contents.leaves.resize(opening->kept);
    contents.payloads.resize(opening->kept);
  }
  return std::move(opening->key);
}

tl::unexpected<Error> exists_already(const std::filesystem::path& path) {
  return fail(ErrorCode::kInvalidInput,
              "{} already exists: it belongs to a run; continue that run with --resume, or choose "
              "another --out",
              path.string());
}

tl::unexpected<Error> cannot_examine(const std::filesystem::path& path,
                                     const std::error_code& error) {
  return fail(ErrorCode::kInvalidInput, "{}: {}", path.string(), error.message());
}

// Whether a file that exists is only the remainder of a run that was ended before its first record
// was complete. Nothing is lost if it is overwritten.
bool has_no_record(const std::filesystem::path& path) {
  if (last_claimed(path) > 1) return false;
  const Result<Read> read = read_whole(path);
  return read && read->contents.records.empty();
}

}  // namespace

Result<JournalFile> JournalFile::create(const std::filesystem::path& path,
                                        std::optional<JournalKey> key) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !has_no_record(path)) return exists_already(path);
  if (error) return cannot_examine(path, error);
  SURETY_TRY(posix::FileLock lock, lock_run(path));
  // Another process may have created the journal at the same time.
  if (!has_no_record(path)) return exists_already(path);
  // A signature of an earlier run, which was removed, does not belong to this run.
  std::error_code ignored;
  std::filesystem::remove(signed_of(path), ignored);
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(path, 0));
  SURETY_TRY(begin(file));
  return JournalFile(std::move(lock), std::move(file), path, 1, std::move(key));
}

JournalFile::JournalFile(posix::FileLock lock, posix::AppendFile file, std::filesystem::path first,
                         std::uint32_t number, std::optional<JournalKey> key)
    : lock_(std::move(lock)),
      file_(std::move(file)),
      first_(std::move(first)),
      number_(number),
      key_(std::move(key)) {}

Result<JournalFile> JournalFile::open(const std::filesystem::path& path,
                                      std::vector<proto::JournalRecord>& records,
                                      const OpeningRule& rule) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fail(ErrorCode::kInvalidInput, "{}: found no run here", path.string());
  }
  SURETY_TRY(posix::FileLock lock, lock_run(path));  // Lock before the torn tail is cut off.
  SURETY_TRY(Read read, read_whole(path));
  SURETY_TRY(std::optional<JournalKey> key, drop_unsigned(read, path, rule));
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(path, read.text.size()));
  SURETY_TRY(begin(file));
  JournalFile journal(std::move(lock), std::move(file), path, 1, std::move(key));
  journal.adopt(read.contents);
  records = std::move(read.contents.records);
  return journal;
}

// The claim comes first. From then on, the previous coordinator cannot sync. So the copy has every
// record that anything may depend on.
Result<JournalFile> JournalFile::take_over(const std::filesystem::path& path,
                                           const std::function<bool()>& leads,
                                           std::vector<proto::JournalRecord>& records,
                                           const OpeningRule& rule) {
  SURETY_TRY(const std::uint32_t number, claim_number(path, leads));
  const std::filesystem::path before = newest_journal(path, number - 1);
  SURETY_TRY(Read last, read_whole(before));
  SURETY_TRY(std::optional<JournalKey> key, drop_unsigned(last, before, rule));
  const std::filesystem::path own = numbered(path, number);
  SURETY_TRY(posix::write_file_atomically(own, last.text));
  SURETY_TRY(posix::FileLock lock, lock_run(own));
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(own, last.text.size()));
  SURETY_TRY(begin(file));
  JournalFile journal(std::move(lock), std::move(file), path, number, std::move(key));
  journal.adopt(last.contents);
  if (journal.key_) SURETY_TRY(journal.sign());
  records = std::move(last.contents.records);
  return journal;
}

// Records that are already in the file may not be on the disk yet.
void JournalFile::adopt(const orchestrator::JournalContents& contents) {
  must_sync_ = !contents.records.empty();
  for (const crypto::Digest& leaf : contents.leaves) tree_.append(leaf);
}

// If the file system returns an error, we assume that another coordinator leads.
bool JournalFile::is_taken_over() const {
  std::error_code error;
  return std::filesystem::exists(claim_of(first_, number_ + 1), error) || error;
}

Result<void> JournalFile::publish() const {
  if (number_ == 1) return {};
  const std::filesystem::path own = numbered(first_, number_);
  SURETY_TRY(const std::string text, posix::read_file(own));
  SURETY_TRY(posix::write_file_atomically(first_, text));
  if (!key_) return {};
  SURETY_TRY(const std::string head, posix::read_file(signed_of(own)));
  return posix::write_file_atomically(signed_of(first_), head);
}

Result<void> JournalFile::sign() const {
  record::Note note{.text = record::to_text(record::Checkpoint{key_->origin, head()}),
                    .signatures = {}};
  record::sign(note, key_->signer);
  return posix::write_file_atomically(signed_of(numbered(first_, number_)), record::to_text(note));
}

Result<void> JournalFile::append(const proto::JournalRecord& record) {
  must_sync_ = must_sync_ || orchestrator::must_be_durable(record);
  const std::vector<std::byte> bytes = orchestrator::encode_record(record);
  SURETY_TRY(file_.append(bytes));
  tree_.append(orchestrator::leaf_of(bytes));
  return {};
}

// The journal is signed before the check for a successor. So if anything depends on a record of
// this coordinator, the successor finds a signature of the record.
Result<void> JournalFile::sync() {
  if (!std::exchange(must_sync_, false)) return {};
  SURETY_TRY(file_.sync());
  if (key_) SURETY_TRY(sign());
  if (!is_taken_over()) return {};
  return fail(ErrorCode::kUnavailable, "{}: another coordinator has taken the run over",
              first_.parent_path().string());
}

Result<orchestrator::JournalContents> read_journal_contents(const std::filesystem::path& path) {
  SURETY_TRY(Read read, read_whole(newest_journal(path, last_claimed(path))));
  return std::move(read.contents);
}

Result<std::optional<record::Note>> read_note(const std::filesystem::path& file) {
  constexpr std::uint64_t kNoteFileBytesMax = 2u << 20;  // A longer file is refused.
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, error))) return std::nullopt;
  SURETY_TRY(const std::string text, posix::read_file(file, kNoteFileBytesMax));
  Result<record::Note> note = record::parse_note(text);
  if (!note) return fail_in(note.error(), "{}", file.string());
  return std::move(*note);
}

Result<std::optional<record::Note>> read_signed_head(const std::filesystem::path& path) {
  return read_note(signed_of(newest_journal(path, last_claimed(path))));
}

Result<RecordedFact> read_fact(const std::filesystem::path& path, std::uint64_t index) {
  SURETY_TRY(Read read, read_whole(newest_journal(path, last_claimed(path))));
  const std::vector<orchestrator::JournalPayload>& payloads = read.contents.payloads;
  if (index >= payloads.size()) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} records, expected at least {}",
                path.string(), payloads.size(), index + 1);
  }
  return RecordedFact{read.text.substr(payloads[index].at, payloads[index].size),
                      std::move(read.contents.leaves)};
}

}  // namespace surety::runtime
