#include "base/posix/net/socket_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"

namespace surety::posix {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = 0700;
constexpr const char* kFolderPrefix = "surety-";

std::string text_of_errno() { return std::generic_category().message(errno); }

std::string address_of(const fs::path& socket) {
  return fmt::format("{}{}", kUnixPrefix, socket.string());
}

Result<fs::path> path_of(const std::string& address) {
  SURETY_TRY([[maybe_unused]] const SocketAddress valid, parse_unix_address(address));
  return fs::path(address.substr(kUnixPrefix.size()));
}

Result<void> check_folder(const fs::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) {
    return fail(ErrorCode::kUnavailable, "{}: {}", folder.string(), text_of_errno());
  }
  if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid() ||
      (found.st_mode & ACCESSPERMS) != kOwnerOnly) {
    return fail(ErrorCode::kUnavailable,
                "{}: found other rights, expected a folder that only this user may enter",
                folder.string());
  }
  return {};
}

void remove_sockets_and(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code gone;  // Another process may just have removed the socket.
    if (entry.is_socket(gone)) fs::remove(entry.path(), gone);
  }
  fs::remove(folder, error);  // This fails if the folder contains anything else.
}

}  // namespace

Result<SocketPlace> SocketPlace::in_new_folder(const std::string& name) {
  std::error_code error;
  const fs::path usual = fs::temp_directory_path(error);
  std::string why = "the path is too long";
  for (const fs::path& parent : {usual, fs::path("/tmp")}) {
    std::string folder = (parent / fmt::format("{}XXXXXX", kFolderPrefix)).string();
    // A relative path would mean another folder to another process.
    // gRPC reads an address as a URL, in which '%' has a meaning.
    if (!parent.is_absolute() || folder.find('%') != std::string::npos ||
        !parse_unix_address(address_of(fs::path(folder) / name)))
      continue;
    if (::mkdtemp(folder.data()) != nullptr) {  // mkdtemp() gives mode 0700.
      return SocketPlace(fs::path(folder) / name, true);
    }
    why = text_of_errno();
  }
  return fail(ErrorCode::kInvalidInput,
              "no folder for a socket can be made in {} or /tmp: {}; set TMPDIR to a short path "
              "that you may write to",
              usual.string(), why);
}

Result<SocketPlace> SocketPlace::again(const std::string& address) {
  SURETY_TRY(fs::path socket, path_of(address));
  const fs::path folder = socket.parent_path();
  if (!folder.is_absolute() || !folder.filename().string().starts_with(kFolderPrefix)) {
    return fail(ErrorCode::kUnavailable, "{}: found another folder, expected /.../{}...", address,
                kFolderPrefix);
  }
  if (::mkdir(folder.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return fail(ErrorCode::kUnavailable, "{}: {}", folder.string(), text_of_errno());
  }
  SURETY_TRY(check_folder(folder));
  if (connect_unix(address)) {
    return fail(ErrorCode::kUnavailable, "{}: a process listens there", address);
  }
  std::error_code error;
  // The process of this socket was killed.
  if (fs::is_socket(socket, error)) fs::remove(socket, error);
  return SocketPlace(std::move(socket), true);
}

Result<SocketPlace> SocketPlace::beside(const std::string& address, const std::string& name) {
  SURETY_TRY(const fs::path other, path_of(address));
  SURETY_TRY(check_folder(other.parent_path()));
  SURETY_TRY(fs::path socket, path_of(address_of(other.parent_path() / name)));
  return SocketPlace(std::move(socket), false);
}

SocketPlace::SocketPlace(SocketPlace&& other) noexcept
    : socket_(std::exchange(other.socket_, {})), owns_folder_(other.owns_folder_) {}

SocketPlace::~SocketPlace() {
  if (socket_.empty()) return;
  std::error_code error;
  if (fs::is_socket(socket_, error)) fs::remove(socket_, error);
  if (owns_folder_) remove_sockets_and(socket_.parent_path());
}

std::string SocketPlace::address() const { return address_of(socket_); }

}  // namespace surety::posix
