#include "base/posix/private_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/posix/file.h"

namespace surety::posix {

Result<void> check_private_file(const std::filesystem::path& file, std::string_view advice) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return fail_errno(errno, file, "read");
  if (!S_ISREG(found.st_mode)) {
    return fail(ErrorCode::kInvalidInput, "{}: found no regular file", file.string());
  }
  if (found.st_uid == ::geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: found mode {:03o} and user {}, expected a file that only you may read (chmod "
              "600); {}",
              file.string(), found.st_mode & ACCESSPERMS, found.st_uid, advice);
}

}  // namespace surety::posix
