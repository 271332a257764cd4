#include "runtime/witness/witness_state.h"

#include <system_error>
#include <utility>

#include "base/posix/file.h"

namespace surety::runtime {
namespace {

constexpr std::uint64_t kStateBytesMax = 64u << 20;  // Some 500,000 runs.

}  // namespace

Result<std::unique_ptr<WitnessState>> WitnessState::open(const std::filesystem::path& file,
                                                         std::vector<record::Verifier> owners,
                                                         record::Signer signer) {
  // The lock has a file of its own, because the state is replaced at each change.
  std::filesystem::path lock_file = file;
  lock_file += ".lock";
  Result<posix::FileLock> lock = posix::FileLock::take(lock_file);
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kInvalidInput,
                "{}: another witness uses this file; choose another one with --state",
                file.string());
  }
  if (!lock) return tl::unexpected(lock.error());
  record::Witnessed seen;
  std::error_code error;
  // After an error of the disk it must not begin anew, because it would forget what it has signed.
  if (std::filesystem::symlink_status(file, error).type() !=
      std::filesystem::file_type::not_found) {
    SURETY_TRY(const std::string text, posix::read_file(file, kStateBytesMax));
    Result<record::Witnessed> parsed = record::parse_witnessed(text);
    if (!parsed) {
      return fail(ErrorCode::kCorrupt,
                  "{}: {}. The witness signs nothing, because it cannot know what it has signed: "
                  "restore the file from a copy, or begin with a new key and a new file",
                  file.string(), parsed.error().message);
    }
    seen = *std::move(parsed);
  }
  return std::unique_ptr<WitnessState>(new WitnessState(*std::move(lock), file, std::move(seen),
                                                        std::move(owners), std::move(signer)));
}

WitnessState::WitnessState(posix::FileLock lock, std::filesystem::path file, record::Witnessed seen,
                           std::vector<record::Verifier> owners, record::Signer signer)
    : lock_(std::move(lock)),
      file_(std::move(file)),
      owners_(std::move(owners)),
      signer_(std::move(signer)),
      seen_(std::move(seen)) {}

record::WitnessAnswer WitnessState::answer(std::string_view body, std::uint64_t unix_s) {
  const Result<record::Submission> submission = record::parse_submission(body);
  if (!submission) return {.code = 400, .text = submission.error().message + "\n"};
  const std::lock_guard lock(mutex_);
  record::WitnessAnswer answer = record::witness(*submission, seen_, owners_, signer_, unix_s);
  if (answer.code != 200) return answer;
  record::Witnessed then = seen_;
  then[*answer.origin] = answer.seen;
  const std::string text = record::to_text(then);
  if (text.size() > kStateBytesMax) {
    return {.code = 500, .text = "not stored: the state is full\n"};
  }
  if (const auto stored = posix::write_file_atomically(file_, text); !stored) {
    return {.code = 500, .text = fmt::format("not stored: {}\n", stored.error().message)};
  }
  seen_ = std::move(then);
  return answer;
}

}  // namespace surety::runtime
