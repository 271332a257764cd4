#include "runtime/journal_file.h"

namespace surety::runtime {
namespace {

Result<orchestrator::JournalContents> read_contents(const std::filesystem::path& path) {
  SURETY_TRY(const std::string text, posix::read_file(path));
  return orchestrator::decode_journal(path.string(), std::as_bytes(std::span(text)));
}

Result<void> begin(posix::AppendFile& file) {
  if (file.length() >= orchestrator::kJournalMagic.size()) return {};
  return file.append(std::as_bytes(std::span(orchestrator::kJournalMagic)));
}

Result<posix::FileLock> lead(const std::filesystem::path& path) {
  Result<posix::FileLock> lock = posix::FileLock::take(path);
  if (lock || lock.error().code != ErrorCode::kUnavailable) return lock;
  return fail(ErrorCode::kInvalidInput,
              "{}: the run's coordinator is still there; one run has one coordinator",
              path.parent_path().string());
}

tl::unexpected<Error> exists_already(const std::filesystem::path& path) {
  return fail(ErrorCode::kInvalidInput,
              "{} exists already: a run is there; go on with it by --resume, or give another --out",
              path.string());
}

}  // namespace

Result<JournalFile> JournalFile::create(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return exists_already(path);
  SURETY_TRY(posix::FileLock lock, lead(path));
  // Another one may have been first.
  if (std::filesystem::file_size(path) > 0) return exists_already(path);
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(path, 0));
  SURETY_TRY(begin(file));
  return JournalFile(std::move(lock), std::move(file));
}

Result<JournalFile> JournalFile::open(const std::filesystem::path& path,
                                      std::vector<proto::JournalRecord>& records) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fail(ErrorCode::kInvalidInput, "{}: no run is there", path.string());
  }
  SURETY_TRY(posix::FileLock lock, lead(path));  // Before its tail is cut.
  SURETY_TRY(orchestrator::JournalContents contents, read_contents(path));
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(path, contents.valid_bytes));
  SURETY_TRY(begin(file));
  records = std::move(contents.records);
  return JournalFile(std::move(lock), std::move(file));
}

Result<void> JournalFile::append(const proto::JournalRecord& record) {
  must_sync_ = must_sync_ || orchestrator::must_be_durable(record);
  return file_.append(orchestrator::encode_record(record));
}

Result<void> JournalFile::sync() {
  if (!std::exchange(must_sync_, false)) return {};
  return file_.sync();
}

Result<std::vector<proto::JournalRecord>> read_journal(const std::filesystem::path& path) {
  SURETY_TRY(orchestrator::JournalContents contents, read_contents(path));
  return std::move(contents.records);
}

}  // namespace surety::runtime
