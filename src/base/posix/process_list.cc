#include "base/posix/process_list.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace surety::posix {
namespace {

using Environment = std::map<std::string, std::string>;

// Returns nullopt if the process has ended or belongs to another user.
std::optional<Environment> environment_of(const std::filesystem::path& process) {
  std::ifstream file(process / "environ", std::ios::binary);
  if (!file) return std::nullopt;
  Environment environment;
  for (std::string entry; std::getline(file, entry, '\0');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

// During exec() a process has memory, but its new environment is not there yet: fields 23 (vsize)
// and 51 (env_end) of its stat show this, see proc(5).
bool is_in_exec(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text, ')');  // The name of the program (field 2) may have spaces.
  for (int field = 3; file >> text; ++field) {
    if (field == 23 && text == "0") return false;
    if (field == 51) return text == "0";
  }
  return false;
}

// Like environment_of(), but if the process is in exec(), waits until the new program runs.
std::optional<Environment> settled_environment_of(const std::filesystem::path& process) {
  constexpr int kAttemptsMax = 200;
  auto environment = environment_of(process);
  bool in_exec = true;
  for (int attempt = 0; environment && environment->empty() && in_exec && attempt < kAttemptsMax;
       ++attempt) {
    in_exec = is_in_exec(process);
    if (in_exec) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // Read again, because the program may just have started.
    environment = environment_of(process);
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
    auto environment = settled_environment_of(entry.path());
    if (!environment) continue;
    const auto at = environment->find(name);
    if (at == environment->end() || at->second != value) continue;
    found.push_back({.pid = pid, .environment = std::move(*environment)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return found;
}

}  // namespace surety::posix
