// All parts of a simulated cluster with a job that does not begin, for tests of the parts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/cluster/coordinator.h"
#include "sim/process/process_table.h"

namespace surety::sim {

// Four machines for workers in two racks. Two workers may be started.
inline SimOptions options_for_tests() {
  SimOptions options;
  options.config.job.cluster.nodes.front().local = 2;
  options.network.racks = 2;
  options.node.speed_spread = 0;
  return options;
}

struct TestCluster {
  explicit TestCluster(SimOptions with = options_for_tests()) : options(std::move(with)) {}

  SimOptions options;
  Random random{1};
  EventQueue queue;
  Trace trace{queue};
  Network network{queue, options.network, Random(2), ProcessTable::hosts(options)};
  Watch watch{options.config};
  CheckedJournal journal{watch};
  Checkpoints checkpoints;
  Rounds rounds{queue,
                network,
                {.member = [this](WorkerId worker) { return processes.member(worker); },
                 .finished = {},
                 .broken = {}}};
  Pipes pipes{queue,
              network,
              {.member = [this](WorkerId worker) { return processes.member(worker); },
               .received = {},
               .left = {},
               .broken = {}}};
  std::vector<std::string> ends;  // The processes that have ended, and how.
  ProcessTable processes{
      {options, queue, network, trace, watch, rounds, pipes, checkpoints, connections,
       [this](std::uint32_t process, const std::string& how) {
         ends.push_back(fmt::format("{}: {}", process, how));
       }},
      random};
  std::uint32_t last_worker = 0;
  Connections connections{
      queue,
      network,
      trace,
      random,
      {.host = [this](std::uint32_t process) { return processes.at(process).host(); },
       .runs = [this](std::uint32_t process) { return processes.at(process).runs(); },
       .admitted = [this](std::uint32_t process,
                          WorkerId worker) { processes.name(worker, process); },
       .receive =
           [this](std::uint32_t process, std::uint64_t connection, const proto::ToWorker& message) {
             processes.at(process).link().receive(connection, message);
           },
       .end = [this](
                  std::uint32_t process,
                  std::uint64_t connection) { processes.at(process).link().on_ended(connection); }},
      {.called = [this](std::uint64_t connection, std::uint32_t,
                        const proto::Hello&) { admit(connection); },
       .received = [](WorkerId, const proto::FromWorker&) {},
       .lost = [](WorkerId, const std::string&) {}}};
  Coordinator coordinator{options, queue,       trace,       watch,
                          journal, checkpoints, connections, processes};

  // Each caller is admitted as the next worker.
  void admit(std::uint64_t connection) {
    connections.admit(connection, WorkerId{++last_worker});
    proto::ToWorker message;
    message.mutable_welcome()->set_worker(last_worker);
    connections.send(WorkerId{last_worker}, message);
  }
  void run_until(double time_s) {
    queue.at(time_s, [] {});
    while (queue.now_s() < time_s && queue.run_next()) {
    }
  }
  // Starts two processes on machines 1 and 2, and continues to the time 5 s. They are workers 1 and
  // 2, in either order.
  void start_two() {
    connections.begin();
    for (int i = 0; i < 2; ++i) processes.start("", false);
    run_until(5);
  }
};

}  // namespace surety::sim
