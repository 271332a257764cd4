// A worker's step machine (worker/machine.h) on real sockets, threads and files. It carries out the
// effects of the machine, and gives the resulting events to the machine.
//
// One thread calls this class and moves all bytes. A second thread computes
// (runtime/worker/compute_thread.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "data/sources/source_info.h"
#include "learn/task.h"
#include "runtime/worker/compute_thread.h"
#include "runtime/worker/timer_queue.h"
#include "runtime/worker/worker_files.h"
#include "runtime/worker/worker_network.h"
#include "worker/machine.h"

namespace surety::runtime {

struct WorkerHostOptions {
  learn::TaskFactory factory;
  data::OpenFile open;
  // A folder with the files of the job's data. If absent, they have the same paths as on the
  // coordinator's machine.
  std::optional<std::string> data_root{};
  std::uint32_t threads = 1;
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();  // Memory for samples.
  std::function<void(const proto::FromWorker&)> answer;
};

class WorkerHost final : public worker::Host {
 public:
  // `transport` must outlive this.
  WorkerHost(WorkerHostOptions options, fabric::WakeableTransport& transport);
  // Asks the background computation to end, and waits for it (worker::Host::stop_work() says which
  // computations run to their end). Reading ends soon.
  ~WorkerHost() override;

  // ---- events ----
  void on_welcome(const proto::Welcome& welcome, bool keeps_samples);
  void on_command(const proto::ToWorker& command);
  void on_coordinator_lost();
  // Handles what has happened, and waits up to `wait` if nothing has.
  void poll(Duration wait);

  // The chunks whose samples are here for the current run, ascending.
  [[nodiscard]] std::vector<ChunkId> chunks() const { return machine_.chunks(); }

  // ---- worker::Host ----
  [[nodiscard]] Time now() const override;
  void answer(const proto::FromWorker& message) override { options_.answer(message); }
  void wake_after(Duration delay, std::uint64_t timer) override;
  void start(worker::Work work) override { compute_.start({work.kind, std::move(work.run)}); }
  void stop_work() override { compute_.stop(); }

 private:
  template <typename Call>
  void guarded(const Call& call);

  const WorkerHostOptions options_;
  WorkerNetwork network_;
  TimerQueue timers_;
  WorkerFiles files_;
  worker::Machine machine_;
  ComputeThread compute_;  // The last member: its computation uses all of the above.
};

}  // namespace surety::runtime
