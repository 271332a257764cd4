#include "runtime/journal_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/posix/fd.h"

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

// Claims the next number. If `leads` is true after the numbers were read, this coordinator was
// elected after all those that have one.
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

Result<posix::FileLock> lead(const std::filesystem::path& path) {
  Result<posix::FileLock> lock = posix::FileLock::take(path);
  if (lock || lock.error().code != ErrorCode::kUnavailable) return lock;
  return fail(ErrorCode::kInvalidInput,
              "{}: the coordinator of this run is still running; a run has only one coordinator",
              path.parent_path().string());
}

tl::unexpected<Error> exists_already(const std::filesystem::path& path) {
  return fail(ErrorCode::kInvalidInput,
              "{} already exists: it belongs to a run; continue that run with --resume, or choose "
              "another --out",
              path.string());
}

}  // namespace

Result<JournalFile> JournalFile::create(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return exists_already(path);
  SURETY_TRY(posix::FileLock lock, lead(path));
  // Another process may have been first.
  if (std::filesystem::file_size(path) > 0) return exists_already(path);
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(path, 0));
  SURETY_TRY(begin(file));
  return JournalFile(std::move(lock), std::move(file), path, 1, {});
}

// The records that a file has already may not be on the disk.
JournalFile::JournalFile(posix::FileLock lock, posix::AppendFile file, std::filesystem::path first,
                         std::uint32_t number, const record::Digests& leaves)
    : lock_(std::move(lock)),
      file_(std::move(file)),
      first_(std::move(first)),
      number_(number),
      must_sync_(!leaves.empty()) {
  for (const crypto::Digest& leaf : leaves) tree_.append(leaf);
}

Result<JournalFile> JournalFile::open(const std::filesystem::path& path,
                                      std::vector<proto::JournalRecord>& records) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fail(ErrorCode::kInvalidInput, "{}: found no run here", path.string());
  }
  SURETY_TRY(posix::FileLock lock, lead(path));  // Lock before the torn tail is cut off.
  SURETY_TRY(Read read, read_whole(path));
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(path, read.text.size()));
  SURETY_TRY(begin(file));
  records = std::move(read.contents.records);
  return JournalFile(std::move(lock), std::move(file), path, 1, read.contents.leaves);
}

// The claim comes first. From then on the coordinator before cannot sync, so the copy has every
// record that anything may depend on.
Result<JournalFile> JournalFile::take_over(const std::filesystem::path& path,
                                           const std::function<bool()>& leads,
                                           std::vector<proto::JournalRecord>& records) {
  SURETY_TRY(const std::uint32_t number, claim_number(path, leads));
  SURETY_TRY(Read last, read_whole(newest_journal(path, number - 1)));
  const std::filesystem::path own = numbered(path, number);
  SURETY_TRY(posix::write_file_atomically(own, last.text));
  SURETY_TRY(posix::FileLock lock, lead(own));
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(own, last.text.size()));
  SURETY_TRY(begin(file));
  records = std::move(last.contents.records);
  return JournalFile(std::move(lock), std::move(file), path, number, last.contents.leaves);
}

// If the file system gives no answer, we assume that another coordinator leads.
bool JournalFile::is_taken_over() const {
  std::error_code error;
  return std::filesystem::exists(claim_of(first_, number_ + 1), error) || error;
}

Result<void> JournalFile::publish() const {
  if (number_ == 1) return {};
  SURETY_TRY(const std::string text, posix::read_file(numbered(first_, number_)));
  return posix::write_file_atomically(first_, text);
}

Result<void> JournalFile::append(const proto::JournalRecord& record) {
  must_sync_ = must_sync_ || orchestrator::must_be_durable(record);
  const std::vector<std::byte> bytes = orchestrator::encode_record(record);
  SURETY_TRY(file_.append(bytes));
  tree_.append(orchestrator::leaf_of(bytes));
  return {};
}

Result<void> JournalFile::sync() {
  if (!std::exchange(must_sync_, false)) return {};
  SURETY_TRY(file_.sync());
  if (!is_taken_over()) {
    durable_head_ = {tree_.size(), tree_.root()};
    return {};
  }
  return fail(ErrorCode::kUnavailable, "{}: another coordinator has taken the run over",
              first_.parent_path().string());
}

Result<orchestrator::JournalContents> read_journal_contents(const std::filesystem::path& path) {
  SURETY_TRY(Read read, read_whole(newest_journal(path, last_claimed(path))));
  return std::move(read.contents);
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

Result<std::vector<proto::JournalRecord>> read_journal(const std::filesystem::path& path) {
  SURETY_TRY(orchestrator::JournalContents contents, read_journal_contents(path));
  return std::move(contents.records);
}

}  // namespace surety::runtime
