#include "runtime/launcher.h"

#include <fmt/format.h>

#include "base/posix/clock.h"
#include "runtime/worker_environment.h"

namespace surety::runtime {

Result<void> Launcher::start(const std::string& type) {
  const std::uint32_t number = ++started_;
  posix::ProcessOptions process;
  process.argv = {options_.program.string()};
  if (options_.is_surety) process.argv.push_back("worker");
  process.argv.insert(process.argv.end(), {"--join", options_.join, "--type", type, "--threads",
                                           std::to_string(options_.threads)});
  if (!options_.data_root.empty()) {
    process.argv.insert(process.argv.end(), {"--data-root", options_.data_root});
  }
  process.environment = worker_environment(options_.threads);
  process.environment["SURETY_TOKEN"] = options_.token;  // Not in argv, which anyone can list.
  process.output = options_.logs / fmt::format("worker-{}.log", number);
  process.dies_with_parent = true;
  process.own_process_group = true;
  SURETY_TRY(posix::Process child, posix::Process::start(process));
  children_.push_back({number, type, std::move(child), false});
  return {};
}

bool Launcher::joined(pid_t pid) {
  for (Child& child : children_) {
    if (child.process.pid() != pid) continue;
    child.joined = true;
    return true;
  }
  return false;
}

std::vector<WorkerEnd> Launcher::ended() {
  std::vector<WorkerEnd> ends;
  std::erase_if(children_, [&](Child& child) {
    const auto status = child.process.poll();
    if (status) {
      ends.push_back({fmt::format("worker process {} (pid {}): {}", child.number,
                                  child.process.pid(), status->text()),
                      child.type, child.joined});
    }
    return status.has_value();
  });
  return ends;
}

void Launcher::finish(Duration grace) {
  const Time deadline = posix::now() + grace;
  for (Child& child : children_) {
    const Duration left = std::max(Duration::zero(), deadline - posix::now());
    if (!child.process.wait(left)) child.process.terminate(std::chrono::seconds(2));
  }
  children_.clear();
}

}  // namespace surety::runtime
