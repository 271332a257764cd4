#include "runtime/journal_file.h"

#include <unistd.h>

namespace surety::runtime {
namespace {

Result<orchestrator::JournalContents> read_contents(const std::filesystem::path& path) {
  SURETY_TRY(const std::string text, posix::read_file(path));
  return orchestrator::decode_journal(path.string(), std::as_bytes(std::span(text)));
}

// "journal.log" and "journal-2.log".
std::filesystem::path numbered(const std::filesystem::path& first, std::uint32_t number) {
  if (number == 1) return first;
  return first.parent_path() /
         fmt::format("{}-{}{}", first.stem().string(), number, first.extension().string());
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::uint32_t newest(const std::filesystem::path& first) {
  std::uint32_t number = 1;
  while (is_there(numbered(first, number + 1))) ++number;
  return number;
}

// A second name for a file, which must be a new one.
Result<void> link_to(const std::filesystem::path& file, const std::filesystem::path& name) {
  std::error_code error;
  std::filesystem::create_hard_link(file, name, error);
  if (!error) return {};
  if (error == std::errc::file_exists) {
    return fail(ErrorCode::kUnavailable, "{}: another coordinator has taken the run over",
                name.parent_path().string());
  }
  return fail(ErrorCode::kUnavailable, "{}: {}", name.string(), error.message());
}

// A file that goes with its owner, under whatever other names it may have by then.
struct Temporary {
  std::filesystem::path path;
  explicit Temporary(std::filesystem::path at) : path(std::move(at)) {}
  ~Temporary() { ::unlink(path.c_str()); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
};

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
  return JournalFile(std::move(lock), std::move(file), path, 1);
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
  return JournalFile(std::move(lock), std::move(file), path, 1);
}

Result<JournalFile> JournalFile::take_over(const std::filesystem::path& path,
                                           const std::function<bool()>& leads,
                                           std::vector<proto::JournalRecord>& records) {
  const std::uint32_t number = newest(path) + 1;
  const std::filesystem::path own = numbered(path, number);
  SURETY_TRY(const std::string text, posix::read_file(numbered(path, number - 1)));
  SURETY_TRY(orchestrator::JournalContents contents,
             orchestrator::decode_journal(path.string(), std::as_bytes(std::span(text))));
  const Temporary beside(own.string() + fmt::format(".{}.tmp", ::getpid()));
  SURETY_TRY(posix::write_file_atomically(beside.path,
                                          std::string_view(text).substr(0, contents.valid_bytes)));
  SURETY_TRY(posix::FileLock lock, lead(beside.path));
  SURETY_TRY(posix::AppendFile file, posix::AppendFile::open(beside.path, contents.valid_bytes));
  SURETY_TRY(begin(file));
  // Who leads since may have written what the copy lacks.
  if (!leads()) {
    return fail(ErrorCode::kUnavailable, "{}: another coordinator may lead the run by now",
                path.parent_path().string());
  }
  SURETY_TRY(link_to(beside.path, own));
  SURETY_TRY(posix::sync_file(path.parent_path()));
  records = std::move(contents.records);
  return JournalFile(std::move(lock), std::move(file), path, number);
}

bool JournalFile::is_taken_over() const { return is_there(numbered(first_, number_ + 1)); }

Result<void> JournalFile::publish() const {
  if (number_ == 1) return {};
  const std::filesystem::path beside = first_.string() + fmt::format(".{}.tmp", ::getpid());
  SURETY_TRY(link_to(numbered(first_, number_), beside));
  std::error_code error;
  std::filesystem::rename(beside, first_, error);
  if (error) return fail(ErrorCode::kUnavailable, "{}: {}", first_.string(), error.message());
  return posix::sync_file(first_.parent_path());
}

Result<void> JournalFile::append(const proto::JournalRecord& record) {
  must_sync_ = must_sync_ || orchestrator::must_be_durable(record);
  return file_.append(orchestrator::encode_record(record));
}

Result<void> JournalFile::sync() {
  if (!std::exchange(must_sync_, false)) return {};
  SURETY_TRY(file_.sync());
  if (!is_taken_over()) return {};
  return fail(ErrorCode::kUnavailable, "{}: another coordinator has taken the run over",
              first_.parent_path().string());
}

Result<std::vector<proto::JournalRecord>> read_journal(const std::filesystem::path& path) {
  SURETY_TRY(orchestrator::JournalContents contents, read_contents(numbered(path, newest(path))));
  return std::move(contents.records);
}

}  // namespace surety::runtime
