#include "base/posix/cpu.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "base/posix/fd.h"
#include "base/units.h"

namespace surety::posix {
namespace {

// Number of cores of the control group's quota. "200000 100000" (microseconds of CPU in each
// period) means two cores; "max 100000" means no limit.
std::optional<double> quota_cores() {
  const std::filesystem::path path = "/sys/fs/cgroup/cpu.max";
  const Result<Fd> fd = open_fd(path, O_RDONLY);
  if (!fd) return std::nullopt;
  // read_file() does not work here, because files of the kernel report a length of 0.
  std::array<char, 64> buffer{};
  const auto count = read_full(fd->get(), path, std::as_writable_bytes(std::span(buffer)));
  if (!count) return std::nullopt;
  const std::string_view text(buffer.data(), *count);
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto quota = parse_number(line.substr(0, space));
  const auto period = parse_number(line.substr(space + 1));
  if (!quota || !period || *period <= 0) return std::nullopt;
  return *quota / *period;
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  if (const auto quota = quota_cores())
    cores = std::min(cores, static_cast<int>(std::ceil(*quota)));
  return std::max(cores, 1);
}

#if defined(__x86_64__) || defined(__i386__)
bool has_avx512f() { return __builtin_cpu_supports("avx512f") != 0; }
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
bool has_avx512f() { return false; }
bool has_avx2() { return false; }
#endif

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size()) != 0) return "localhost";
  name.back() = '\0';
  return name.data();
}

}  // namespace surety::posix
