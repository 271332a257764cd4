#include "runtime/process_launcher.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/posix/clock.h"
#include "runtime/worker_environment.h"

namespace surety::runtime {

ProcessLauncher::ProcessLauncher(ProcessLauncherOptions options) : options_(std::move(options)) {
  if (!options_.slurm) return;
  SURETY_CHECK(options_.is_surety);
  allocation_.emplace(options_.slurm->nodes);
  watch_.emplace(options_.slurm->id, from_seconds(options_.slurm_spec.look_s),
                 options_.logs / "allocation");
}

Result<void> ProcessLauncher::start(const std::string& type) {
  const std::uint32_t number = ++started_;
  std::string node;
  if (allocation_) {
    auto free = allocation_->free();
    if (!free) {
      return fail(ErrorCode::kUnavailable,
                  "every node of the allocation has a worker or was told to stop");
    }
    node = std::move(*free);
  }
  SURETY_TRY(posix::Process child, posix::Process::start(process(type, node, number)));
  if (allocation_) allocation_->started(node);
  children_.push_back({number, type, node, std::move(child), false});
  return {};
}

posix::ProcessOptions ProcessLauncher::process(const std::string& type, const std::string& node,
                                               std::uint32_t number) const {
  posix::ProcessOptions process;
  if (allocation_) process.argv = orchestrator::srun_command(options_.slurm->id, node);
  process.argv.push_back(options_.program.string());
  if (options_.is_surety) process.argv.push_back("worker");
  process.argv.insert(process.argv.end(), {"--join", options_.join, "--type", type});
  if (!options_.data_root.empty()) {
    process.argv.insert(process.argv.end(), {"--data-root", options_.data_root});
  }
  if (!options_.spill.empty()) {
    process.argv.insert(process.argv.end(), {"--spill", options_.spill});
  }
  if (allocation_) {
    // Threads and the environment of its libraries are the node's affair: it may be another
    // machine.
    process.argv.insert(process.argv.end(),
                        {"--listen", "auto", "--notice",
                         fmt::format("{:.0f}ms", 1e3 * options_.slurm_spec.notice_s)});
  } else {
    process.argv.insert(process.argv.end(), {"--threads", std::to_string(options_.threads)});
    process.environment = worker_environment(options_.threads);
  }
  process.environment["SURETY_TOKEN"] = options_.token;  // Not in argv, which anyone can list.
  process.environment["SURETY_LAUNCH"] = std::to_string(number);
  process.output = options_.logs / fmt::format("worker-{}.log", number);
  process.dies_with_parent = true;
  process.own_process_group = true;
  return process;
}

bool ProcessLauncher::joined(std::uint32_t launch) {
  for (Child& child : children_) {
    if (child.number != launch) continue;
    child.joined = true;
    return true;
  }
  return false;
}

void ProcessLauncher::on_notice(std::uint32_t launch) {
  if (!allocation_) return;
  for (const Child& child : children_) {
    if (child.number != launch) continue;
    allocation_->on_notice(child.node);
    changed_ = true;
  }
}

std::optional<std::uint32_t> ProcessLauncher::available(Time now) {
  if (!allocation_) return std::nullopt;
  if (const auto nodes = watch_->look(now)) changed_ |= allocation_->update(*nodes);
  if (!std::exchange(changed_, false)) return std::nullopt;
  return allocation_->usable();
}

std::vector<WorkerEnd> ProcessLauncher::ended() {
  std::vector<WorkerEnd> ends;
  std::erase_if(children_, [&](Child& child) {
    const auto status = child.process.poll();
    if (status) {
      ends.push_back({fmt::format("worker process {}{} (pid {}): {}", child.number,
                                  child.node.empty() ? "" : " on " + child.node,
                                  child.process.pid(), status->text()),
                      child.type, child.joined});
      if (allocation_) allocation_->ended(child.node);
    }
    return status.has_value();
  });
  return ends;
}

void ProcessLauncher::finish(Duration grace) {
  const Time deadline = posix::now() + grace;
  for (Child& child : children_) {
    const Duration left = std::max(Duration::zero(), deadline - posix::now());
    if (!child.process.wait(left)) child.process.terminate(std::chrono::seconds(2));
  }
  children_.clear();
}

}  // namespace surety::runtime
