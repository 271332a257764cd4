#include "runtime/files/keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "base/posix/fd.h"
#include "base/posix/file.h"
#include "base/posix/private_file.h"

namespace surety::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSecretFile = "signing.key";
constexpr const char* kPublicFile = "signing.vkey";
constexpr std::size_t kKeyBytesMax = 1024;

// Writes a file that only this user can read. An existing file is never replaced.
Result<void> write_once(const fs::path& file, const std::string& text) {
  const posix::Fd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd.is_open() && errno == EEXIST) {
    return fail(ErrorCode::kInvalidInput,
                "{} already exists: runs that it has signed can be verified only with its public "
                "half; move it away first if you want another one",
                file.string());
  }
  const bool is_written =
      fd.is_open() &&
      ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(fd.get()) == 0;
  if (is_written) return {};
  return posix::fail_errno(errno, file, "write");
}

// Mail and editors of other systems end lines with "\r\n".
std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

std::optional<fs::path> default_keys() {
  // The variable counts only if it has an absolute path (XDG Base Directory Specification).
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && fs::path(config).is_absolute())
    return fs::path(config) / "surety";
  const char* home = std::getenv("HOME");
  if (!home || !fs::path(home).is_absolute()) return std::nullopt;
  return fs::path(home) / ".config/surety";
}

Result<record::Signer> create_signer(const fs::path& folder, const std::string& name) {
  if (!record::is_key_name(name)) {
    return fail(ErrorCode::kInvalidInput,
                "--name {}: expected 1 to 64 visible ASCII characters without '+'", name);
  }
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::kInvalidInput, "{}: {}", folder.string(), error.message());
  if (is_new) fs::permissions(folder, fs::perms::owner_all, error);
  record::Signer signer{name, crypto::SigningKey::random()};
  SURETY_TRY(write_once(folder / kSecretFile, signer.secret_text() + "\n"));
  SURETY_TRY(posix::write_file_atomically(folder / kPublicFile, signer.verifier().text() + "\n"));
  return signer;
}

Result<std::optional<record::Signer>> read_signer(const std::optional<fs::path>& folder) {
  if (!folder) return std::nullopt;
  const fs::path file = *folder / kSecretFile;
  std::error_code error;
  if (fs::exists(*folder, error) && !fs::is_directory(*folder, error)) {
    return fail(ErrorCode::kInvalidInput, "{}: found a file, expected the folder of your keys",
                folder->string());
  }
  // A broken symbolic link does not count as a missing key, because its target may only not be
  // mounted.
  if (!fs::exists(fs::symlink_status(file, error))) return std::nullopt;
  SURETY_TRY(posix::check_private_file(file, "if others may have read it, make a new key"));
  SURETY_TRY(const std::string text, posix::read_file(file));
  Result<record::Signer> signer = record::parse_signer(first_line(text));
  if (!signer) return fail_in(signer.error(), "{}", file.string());
  return std::move(*signer);
}

Result<record::Verifier> read_verifier(const std::string& text_or_file) {
  std::error_code error;
  if (!fs::is_regular_file(text_or_file, error)) {
    if (text_or_file.find('+') != std::string::npos) return record::parse_verifier(text_or_file);
    return fail(ErrorCode::kInvalidInput,
                "{}: found no such file, expected one with a public key, or the key itself: "
                "NAME+HASH+KEY",
                text_or_file);
  }
  if (fs::file_size(text_or_file, error) > kKeyBytesMax || error) {
    return fail(ErrorCode::kInvalidInput, "{}: it is too long for a file with a public key",
                text_or_file);
  }
  SURETY_TRY(const std::string text, posix::read_file(text_or_file));
  Result<record::Verifier> verifier = record::parse_verifier(first_line(text));
  if (!verifier) return fail_in(verifier.error(), "{}", text_or_file);
  return verifier;
}

}  // namespace surety::runtime
