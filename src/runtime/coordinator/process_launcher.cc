#include "runtime/coordinator/process_launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/posix/clock.h"
#include "base/posix/process_list.h"
#include "base/posix/worker_environment.h"
#include "data/text.h"

namespace surety::runtime {

namespace {

// Variables in a worker's environment. The worker program also reads the launch
// (cli/commands/worker_command.cc).
constexpr const char* kRun = "SURETY_RUN";
constexpr const char* kLaunch = "SURETY_LAUNCH";
constexpr const char* kType = "SURETY_TYPE";

constexpr const char* kLogs = "logs";  // Folder of the workers' logs, in that of the run.

// Time from the stop signal until a worker is killed.
constexpr Duration kSignalTakes = std::chrono::seconds(2);

std::string value_of(const posix::RunningProcess& process, const char* name) {
  const auto at = process.environment.find(name);
  return at == process.environment.end() ? std::string() : at->second;
}

}  // namespace

posix::ProcessOptions worker_process(const ProcessLauncherOptions& options, const std::string& type,
                                     const std::optional<std::string>& node, std::uint32_t launch) {
  SURETY_CHECK(node.has_value() == options.slurm.has_value());
  posix::ProcessOptions process;
  if (node) process.argv = orchestrator::srun_command(options.slurm->id, *node);
  process.argv.push_back(options.program.string());
  if (options.is_surety) process.argv.push_back("worker");
  process.argv.insert(process.argv.end(), {"--join", options.join, "--type", type});
  if (options.spill) {
    process.argv.insert(process.argv.end(), {"--spill", *options.spill});
  }
  if (node) {
    // Threads and the environment of libraries are set on the node, which may be another machine.
    process.argv.insert(process.argv.end(),
                        {"--listen", "auto", "--notice",
                         fmt::format("{:.0f}ms", 1e3 * options.slurm_spec.notice_s)});
  } else {
    process.argv.insert(process.argv.end(), {"--threads", std::to_string(options.threads)});
    process.argv.insert(process.argv.end(),
                        {"--wait", fmt::format("{:.0f}ms", 1e3 * to_seconds(options.wait))});
    process.environment = posix::worker_environment(options.threads);
    process.environment[kRun] = options.folder.string();
    process.environment[kType] = type;
  }
  process.environment["SURETY_TOKEN"] = options.token;  // Not in argv, which any user can list.
  process.environment[kLaunch] = std::to_string(launch);
  process.output = options.folder / kLogs / fmt::format("worker-{}.log", launch);
  process.dies_with_parent = node.has_value();
  process.own_process_group = true;
  return process;
}

ProcessLauncher::ProcessLauncher(ProcessLauncherOptions options)
    : options_(std::move(options)), logs_(options_.folder / kLogs) {
  if (!options_.slurm) return;
  SURETY_CHECK(options_.is_surety);
  allocation_.emplace(options_.slurm->nodes);
  watch_.emplace(options_.slurm->id, from_seconds(options_.slurm_spec.poll_interval_s),
                 logs_ / "allocation");
}

// New launch numbers continue after those of the workers found, so that two live workers never have
// the same one.
std::vector<plan::NodeCount> ProcessLauncher::adopt_running() {
  if (allocation_) return {};
  std::map<std::string, std::uint32_t> counts;
  for (const auto& found : posix::find_processes(kRun, options_.folder.string())) {
    std::uint64_t launch = 0;
    const std::string type = value_of(found, kType);
    if (!data::parse_uint(value_of(found, kLaunch), launch)) continue;
    if (launch == 0 || launch > UINT32_MAX) continue;
    Result<posix::Process> process = posix::Process::adopt(found.pid);
    if (!process) continue;  // It has just ended.
    started_ = std::max(started_, static_cast<std::uint32_t>(launch));
    children_.push_back(
        {static_cast<std::uint32_t>(launch), type, std::nullopt, std::move(*process)});
    ++counts[type];
  }
  std::vector<plan::NodeCount> remaining;
  for (const auto& [type, count] : counts) remaining.push_back({type, count});
  return remaining;
}

void ProcessLauncher::end_remaining() {
  (void)adopt_running();
  finish({}, {});
}

Result<void> ProcessLauncher::start(const std::string& type) {
  const std::uint32_t number = ++started_;
  std::optional<std::string> node;
  if (allocation_) {
    node = allocation_->free();
    if (!node) {
      return fail(ErrorCode::kUnavailable,
                  "every node of the allocation has a worker or has received a notice to stop");
    }
  }
  SURETY_TRY(posix::Process child,
             posix::Process::start(worker_process(options_, type, node, number)));
  if (node) allocation_->on_started(*node);
  children_.push_back({number, type, node, std::move(child)});
  return {};
}

bool ProcessLauncher::has(std::uint32_t launch) const {
  return std::ranges::any_of(children_, [&](const Child& child) { return child.number == launch; });
}

void ProcessLauncher::on_notice(std::uint32_t launch) {
  if (!allocation_) return;
  for (const Child& child : children_) {
    if (child.number != launch) continue;
    allocation_->on_notice(child.node.value());
    changed_ = true;
  }
}

std::optional<std::uint32_t> ProcessLauncher::take_available(Time now) {
  if (!allocation_) return std::nullopt;
  if (const auto nodes = watch_->poll(now)) changed_ |= allocation_->update(*nodes);
  if (!std::exchange(changed_, false)) return std::nullopt;
  return allocation_->usable();
}

std::vector<WorkerEnd> ProcessLauncher::take_ended() {
  std::vector<WorkerEnd> ends;
  std::erase_if(children_, [&](Child& child) {
    const auto status = child.process.poll();
    if (status) {
      ends.push_back(
          {fmt::format("worker process {}{} (pid {}): {}", child.number,
                       child.node ? " on " + *child.node : "", child.process.pid(), status->text()),
           child.type, child.number});
      if (child.node) allocation_->on_ended(*child.node);
    }
    return status.has_value();
  });
  return ends;
}

void ProcessLauncher::finish(Duration grace, const std::set<std::uint32_t>& joined) {
  for (Child& child : children_) {
    if (!joined.contains(child.number)) child.process.send_signal(SIGTERM);
  }
  wait_for_ends(grace);
  for (Child& child : children_) child.process.send_signal(SIGTERM);
  wait_for_ends(kSignalTakes);
  for (Child& child : children_) child.process.terminate(Duration::zero());
  children_.clear();
}

// All workers end in parallel, so many take no longer than one.
void ProcessLauncher::wait_for_ends(Duration patience) {
  const Time deadline = posix::now() + patience;
  for (Child& child : children_) {
    static_cast<void>(child.process.wait(std::max(Duration::zero(), deadline - posix::now())));
  }
}

void ProcessLauncher::release_workers() {
  for (Child& child : children_) child.process.release();
  children_.clear();
}

}  // namespace surety::runtime
