// A simulated worker process: the worker's step machine (worker/machine.h) between the parts that
// carry out its effects (sim/process/sim_host.h) and the cluster that it is in. It corresponds to
// runtime/worker/worker.cc and runtime/worker/worker_host.cc in a real run.
//
// Computing, reading and writing take the times of sim/learning/work_cost.h. A call to the
// coordinator takes no time. It is answered if a coordinator runs and neither direction between the
// two is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/process/blobs.h"
#include "sim/process/coordinator_link.h"
#include "sim/process/exchange_inbox.h"
#include "sim/process/lifecycle.h"
#include "sim/process/process_start.h"
#include "sim/process/processor.h"
#include "sim/process/sim_files.h"
#include "sim/process/sim_host.h"
#include "sim/process/sim_network.h"
#include "sim/process/world.h"
#include "worker/machine.h"

namespace surety::sim {

class Process {
 public:
  // `world` must outlive this. The process is ready to work when it calls the coordinator.
  Process(const World& world, ProcessStart start, const Random& random);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] const ProcessStart& start() const { return start_; }
  [[nodiscard]] HostIndex host() const { return start_.host; }
  [[nodiscard]] bool runs() const { return lifecycle_.runs(); }
  // Whether it has ended together with its machine, so that its connections are not closed.
  [[nodiscard]] bool is_silent() const { return lifecycle_.is_silent(); }
  // Its connection to the coordinator, and the id that it got from it.
  [[nodiscard]] CoordinatorLink& link() { return link_; }
  [[nodiscard]] const CoordinatorLink& link() const { return link_; }

  // ---- messages from other workers ----
  void on_round_done(std::uint64_t sequence, const std::vector<float>& values);
  // The connection that the round or the exchange depends on is lost.
  void on_broken(std::uint64_t sequence, WorkerId peer);
  void on_exchange_message(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes);
  void on_exchange_sent(std::uint64_t exchange, WorkerId to);
  void on_blob(const fabric::Tag& tag, const std::vector<std::byte>& bytes) {
    blobs_.arrive(tag, bytes);
  }

  // ---- faults ----
  void end(const std::string& how, bool silently = false);
  void stall_until(double time_s) { lifecycle_.stall_until(time_s); }
  void go_on() { lifecycle_.go_on(); }
  void set_slowness(double factor) { processor_.set_slowness(factor); }
  // The next update is merged with a wrong value, as by a broken memory.
  void spoil_next_update() { spoils_ = true; }
  void damage_next_chunk() { files_.damage_next_chunk(); }

 private:
  [[nodiscard]] CoordinatorLink::Owner owner_of_link();
  [[nodiscard]] Processor::Owner owner_of_processor();
  [[nodiscard]] Blobs::Owner owner_of_blobs();

  const World& world_;
  const ProcessStart start_;
  bool spoils_ = false;
  Lifecycle lifecycle_;
  SimFiles files_;
  CoordinatorLink link_;
  Processor processor_;
  Blobs blobs_;
  ExchangeInbox inbox_;
  SimHost host_;
  SimNetwork network_;
  worker::Machine machine_;
};

}  // namespace surety::sim
