#include "runtime/coordinator/thread_launcher.h"

#include "base/exception_error.h"
#include "base/posix/start_threads.h"
#include "runtime/worker/worker.h"

namespace surety::runtime {

Result<void> ThreadLauncher::start(const std::string& type) {
  if (thread_.joinable()) {
    next_ = type;
    return {};
  }
  type_ = type;
  return posix::start_threads("for a worker", [&] {
    thread_ = std::thread([this, launch = ++started_, type] { work(launch, type); });
  });
}

// Libraries may throw exceptions (out of memory). They are caught here.
void ThreadLauncher::work(std::uint32_t launch, const std::string& type) {
  WorkerOptions worker;
  worker.node_type = type;
  worker.spill = options_.spill;
  worker.threads = options_.threads;
  worker.launch = launch;
  worker.patience = worker.wait = std::nullopt;  // It ends with its coordinator.
  std::string end;
  try {
    const Result<std::string> ran = run_worker_inside(worker, options_.factory, control_);
    end = ran ? *ran : ran.error().message;
  } catch (const std::exception& error) {
    end = error_of(error, "this worker").message;
  }
  ends_.put(std::move(end));
}

std::vector<WorkerEnd> ThreadLauncher::take_ended() {
  const std::optional<std::string> end = ends_.take();
  if (!end) return {};
  thread_.join();
  std::vector<WorkerEnd> ends{
      {fmt::format("worker {}, in this process: {}", started_, *end), type_, started_}};
  if (const auto next = std::exchange(next_, std::nullopt)) {
    const Result<void> started = start(*next);
    if (!started) ends.push_back({started.error().message, *next, started_});
  }
  return ends;
}

void ThreadLauncher::finish(Duration, const std::set<std::uint32_t>&) {
  next_.reset();
  control_.shut();
  if (thread_.joinable()) thread_.join();
}

}  // namespace surety::runtime
