#include "sim/cluster/cluster.h"

#include <utility>

namespace surety::sim {
namespace {

SimOptions with_checkpoints(SimOptions options) {
  options.config.checkpoints_folder = "checkpoints";
  return options;
}

Rounds::World world_of_rounds(const ProcessTable& processes) {
  return {.member = [&](WorkerId worker) { return processes.member(worker); },
          .finished =
              [&](WorkerId worker, std::uint64_t sequence, const std::vector<float>& values) {
                processes.of(worker)->on_round_done(sequence, values);
              },
          .broken = [&](WorkerId worker, std::uint64_t sequence,
                        WorkerId peer) { processes.of(worker)->on_broken(sequence, peer); }};
}

Pipes::World world_of_pipes(const ProcessTable& processes) {
  return {
      .member = [&](WorkerId worker) { return processes.member(worker); },
      .received =
          [&](WorkerId to, std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes) {
            processes.of(to)->on_exchange_message(exchange, from, std::move(bytes));
          },
      .left = [&](WorkerId from, std::uint64_t exchange,
                  WorkerId to) { processes.of(from)->on_exchange_sent(exchange, to); },
      .broken = [&](WorkerId worker, std::uint64_t exchange,
                    WorkerId peer) { processes.of(worker)->on_broken(exchange, peer); }};
}

Connections::Processes ends_of(ProcessTable& processes, Watch& watch) {
  return {
      .host = [&](std::uint32_t process) { return processes.at(process).host(); },
      .runs = [&](std::uint32_t process) { return processes.at(process).runs(); },
      .admitted =
          [&](std::uint32_t process, WorkerId worker) {
            processes.name(worker, process);
            watch.on_admitted(process, worker);
          },
      .receive =
          [&](std::uint32_t process, std::uint64_t connection, const proto::ToWorker& message) {
            processes.at(process).link().receive(connection, message);
          },
      .end = [&](std::uint32_t process,
                 std::uint64_t connection) { processes.at(process).link().on_ended(connection); }};
}

Connections::Coordinator end_of(Coordinator& coordinator) {
  return {
      .called =
          [&](std::uint64_t connection, std::uint32_t process, const proto::Hello& hello) {
            coordinator.on_called(connection, process, hello);
          },
      .received =
          [&](WorkerId worker, const proto::FromWorker& message) {
            coordinator.on_message(worker, message);
          },
      .lost = [&](WorkerId worker, const std::string& why) { coordinator.on_lost(worker, why); }};
}

}  // namespace

// Parts that call each other have references to parts that are made later. No part calls another
// before all are made.
Cluster::Cluster(SimOptions options)
    : options_(with_checkpoints(std::move(options))),
      random_(options_.seed),
      trace_(queue_),
      network_(queue_, options_.network, random_.fork("network"), ProcessTable::hosts(options_)),
      rounds_(queue_, network_, world_of_rounds(processes_)),
      pipes_(queue_, network_, world_of_pipes(processes_)),
      watch_(options_.config),
      journal_(watch_),
      processes_(
          {options_, queue_, network_, trace_, watch_, rounds_, pipes_, checkpoints_, connections_,
           [this](std::uint32_t process, const std::string& how) {
             on_process_ended(process, how);
           }},
          random_),
      connections_(queue_, network_, trace_, random_, ends_of(processes_, watch_),
                   end_of(coordinator_)),
      coordinator_(options_, queue_, trace_, watch_, journal_, checkpoints_, connections_,
                   processes_),
      faults_(options_, queue_, trace_, random_,
              {network_, rounds_, pipes_, checkpoints_, journal_, processes_, connections_,
               coordinator_}),
      progress_(queue_, watch_, options_.progress_s_max, [this] {
        return std::string(coordinator_.runs() ? name_of(coordinator_.state().phase)
                                               : "no coordinator");
      }) {
  trace_.listen([this](const std::string& line) { faults_.on_line(line); });
  plan_faults();
  coordinator_.begin_run();
}

void Cluster::plan_faults() {
  const Faults& faults = options_.faults;
  for (const Fault& fault : faults.list) {
    queue_.at(fault.at_s, [this, fault] { faults_.inject(fault); });
  }
  if (faults.end_s <= 0) return;
  queue_.at(faults.begin_s, [this] { network_.conditions() = options_.faults.conditions; });
  queue_.at(faults.end_s, [this] {
    faults_.heal();
    progress_.require();
  });
}

bool Cluster::step() {
  if (coordinator_.finished() || watch_.violation()) return false;
  return queue_.run_next();
}

SimResult Cluster::run() {
  while (queue_.now_s() < options_.time_max_s && step()) {
  }
  SimResult result;
  result.finish = coordinator_.finished();
  result.state = coordinator_.state();
  result.violation = watch_.violation();
  result.trace = trace_.hash();
  result.events = queue_.events();
  result.iterations = watch_.iterations();
  result.seconds = queue_.now_s();
  result.faults = faults_.faults();
  result.restarts = coordinator_.restarts();
  result.processes = processes_.started();
  result.chunks_read = watch_.returns().chunks_read();
  return result;
}

// The connections of the process close with it, unless its machine has vanished.
void Cluster::on_process_ended(std::uint32_t number, const std::string& how) {
  const Process& process = processes_.at(number);
  trace_.note("ended", number);
  const std::optional<std::uint64_t> connection = process.link().connection();
  if (connection) network_.close(*connection);
  if (process.is_silent()) return;
  queue_.after(network_.options().latency_s,
               [this, number, how, connection, term = coordinator_.term()] {
                 if (connection) connections_.on_closed(*connection, "the connection is closed");
                 coordinator_.on_process_ended(number, how, term);
               });
}

}  // namespace surety::sim
