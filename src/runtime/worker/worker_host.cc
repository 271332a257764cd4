#include "runtime/worker/worker_host.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "base/posix/clock.h"
#include "base/posix/thread_team.h"
#include "model/zoo.h"

namespace surety::runtime {
namespace {

learn::TaskFactory on_this_machine(const WorkerHostOptions& options) {
  return [factory = options.factory, threads = options.threads,
          streams = options.memory != std::pmr::get_default_resource()](
             learn::TaskOptions task) -> Result<std::unique_ptr<learn::Task>> {
    task.threads = threads;
    // libtorch has threads of its own.
    if (threads > 1 && model::is_linear(task.model)) {
      task.team = std::make_shared<posix::ThreadTeam>(threads);
    }
    task.streams = streams;
    return factory(task);
  };
}

}  // namespace

WorkerHost::WorkerHost(WorkerHostOptions options, fabric::WakeableTransport& transport)
    : options_(std::move(options)),
      network_(transport),
      files_(options_.open, options_.data_root, options_.memory),
      machine_(on_this_machine(options_), *this, network_, files_),
      compute_([&transport] { transport.wake(); }) {}

WorkerHost::~WorkerHost() { files_.end(); }

Time WorkerHost::now() const { return posix::now(); }

// Libraries may throw, for example when memory is exhausted. Here an exception becomes an error of
// the machine.
template <typename Call>
void WorkerHost::guarded(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    machine_.on_exception({ErrorCode::kUnavailable, error.what()});
  }
}

void WorkerHost::on_welcome(const proto::Welcome& welcome, bool keeps_samples) {
  guarded([&] { machine_.on_welcome(welcome, keeps_samples); });
}

void WorkerHost::on_command(const proto::ToWorker& command) {
  guarded([&] { machine_.on_command(command); });
}

void WorkerHost::on_coordinator_lost() {
  guarded([&] { machine_.on_coordinator_lost(); });
}

void WorkerHost::poll(Duration wait) {
  if (const auto outcome = compute_.take_outcome()) {
    return guarded([&] { machine_.on_work_done(*outcome); });
  }
  guarded([&] {
    network_.poll(std::min(wait, timers_.until_next(now())), [this](worker::NetworkEvent event) {
      guarded([&] { machine_.on_network(std::move(event)); });
    });
  });
  for (const std::uint64_t timer : timers_.take_due(now())) {
    guarded([&] { machine_.on_time(timer); });
  }
}

void WorkerHost::wake_after(Duration delay, std::uint64_t timer) {
  timers_.set(now() + delay, timer);
}

}  // namespace surety::runtime
