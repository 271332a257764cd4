#include "base/posix/process_list.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace surety::posix {
namespace {

// Of a process that has ended, or is somebody else's: empty.
std::map<std::string, std::string> environment_of(const std::filesystem::path& process) {
  std::ifstream file(process / "environ", std::ios::binary);
  std::map<std::string, std::string> environment;
  for (std::string entry; std::getline(file, entry, '\0');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

pid_t pid_of(const std::filesystem::path& process) {
  const std::string name = process.filename().string();
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && end == name.data() + name.size() ? pid : 0;
}

}  // namespace

std::vector<RunningProcess> find_processes(const std::string& name, const std::string& value) {
  std::vector<RunningProcess> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t pid = pid_of(entry.path());
    if (pid == 0 || pid == ::getpid()) continue;
    auto environment = environment_of(entry.path());
    const auto at = environment.find(name);
    if (at == environment.end() || at->second != value) continue;
    found.push_back({.pid = pid, .environment = std::move(environment)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return found;
}

}  // namespace surety::posix
