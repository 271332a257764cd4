#include "small_disk.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace surety::bench {
namespace {

constexpr std::size_t kPiece = 64 << 10;

}  // namespace

Result<SmallDisk> SmallDisk::mount(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string size = fmt::format("size={}", bytes);
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0) return SmallDisk(folder);
  return fail(ErrorCode::kUnavailable, "{}: cannot mount: {}", folder.string(),
              std::strerror(errno));
}

SmallDisk::SmallDisk(SmallDisk&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

SmallDisk::~SmallDisk() {
  if (!folder_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
  for (const std::size_t piece : {kPiece, std::size_t{1}}) {
    std::ofstream file(folder_ / "filler", std::ios::binary | std::ios::app);
    const std::string bytes(piece, 'x');
    while (file.write(bytes.data(), static_cast<std::streamsize>(piece)) && file.flush()) {
    }
  }
}

void SmallDisk::free() const {
  std::error_code ignored;
  std::filesystem::remove(folder_ / "filler", ignored);
}

}  // namespace surety::bench
