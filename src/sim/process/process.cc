#include "sim/process/process.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "sim/learning/sim_task.h"

namespace surety::sim {
namespace {

Error lost_connection(WorkerId peer) {
  return {ErrorCode::kUnavailable, fmt::format("the connection to worker {} is lost", peer)};
}

}  // namespace

Process::Process(const World& world, ProcessStart start, const Random& random)
    : world_(world),
      start_(std::move(start)),
      lifecycle_(world.queue),
      files_(world.options.learner, world.checkpoints, world.watch),
      link_(start_, world.options, world.queue, world.network, world.connections,
            world.watch.returns(), lifecycle_, owner_of_link()),
      processor_(world.queue, lifecycle_,
                 {.speed = start_.speed,
                  .noise = world.options.node.noise,
                  .batch = world.options.learner.samples_least},
                 random, owner_of_processor()),
      blobs_(world.queue, world.network, lifecycle_, start_.host, world.peers, owner_of_blobs()),
      host_(world, start_, machine_, lifecycle_, link_, processor_, inbox_),
      network_(world, start_, machine_, lifecycle_, blobs_, inbox_),
      machine_(
          [this](const learn::TaskOptions& options) -> Result<std::unique_ptr<learn::Task>> {
            SURETY_TRY(auto task, world_.options.learner.factory(options));
            return std::make_unique<SimTask>(std::move(task), spoils_, world_.watch.sums(),
                                             start_.number);
          },
          host_, network_, files_) {}

CoordinatorLink::Owner Process::owner_of_link() {
  return {.chunks = [this] { return machine_.chunks(); },
          .on_welcome =
              [this](const proto::Welcome& welcome, bool keeps_samples,
                     std::optional<WorkerId> before) {
                machine_.on_welcome(welcome, keeps_samples);
                if (!before) return;
                world_.trace.log(
                    fmt::format("worker {} is worker {} now, with {} chunks still there", *before,
                                welcome.worker(), machine_.state().chunks.ids().size()));
                // Peers know the process by its id. For members that wait for the old id, the
                // connection is lost.
                world_.rounds.gone(*before);
                world_.pipes.on_gone(*before);
              },
          .on_command = [this](const proto::ToWorker& command) { machine_.on_command(command); },
          .on_lost = [this] { machine_.on_coordinator_lost(); },
          .end = [this](const std::string& how) { end(how); }};
}

Processor::Owner Process::owner_of_processor() {
  return {.cost_of =
              [this](const worker::Work& work, const Processor::ComputingSeconds& computing_s) {
                return cost_of(work, machine_, world_.options.learner, computing_s);
              },
          .on_done =
              [this](const worker::Work& work, const Result<void>& outcome) {
                if (outcome) {
                  for (const data::ChunkRange& range : work.ranges) {
                    world_.watch.returns().on_read(start_.number, range.id);
                  }
                }
                machine_.on_work_done(outcome);
              }};
}

Blobs::Owner Process::owner_of_blobs() {
  return {.on_blob = [this] { machine_.on_network(worker::BlobArrived{}); },
          .on_sent =
              [this](const fabric::Tag& tag, WorkerId to) {
                machine_.on_network(worker::BlobSent{tag.round, to});
              },
          .on_lost =
              [this](const fabric::Tag& tag, WorkerId to) {
                const proto::ToWorker* command = machine_.command();
                if (command == nullptr || command->sequence() != tag.round) return;
                machine_.on_network(worker::WorkerLost{to, lost_connection(to).message});
              }};
}

// ---- messages from other workers ----------------------------------------------------------------

void Process::on_round_done(std::uint64_t sequence, const std::vector<float>& values) {
  lifecycle_.soon([this, sequence, values] {
    machine_.on_network(worker::RoundDone{.sequence = sequence, .result = {.values = values}});
  });
}

void Process::on_broken(std::uint64_t sequence, WorkerId peer) {
  lifecycle_.soon([this, sequence, peer] {
    machine_.on_network(worker::RoundFailed{sequence, lost_connection(peer), peer});
  });
}

void Process::on_exchange_message(std::uint64_t exchange, WorkerId from,
                                  std::vector<std::byte> bytes) {
  lifecycle_.soon([this, exchange, from, bytes = std::move(bytes)]() mutable {
    if (inbox_.take_if_due(exchange, from, bytes)) {
      machine_.on_network(worker::ExchangeMessage{exchange, from, std::move(bytes)});
    }
  });
}

void Process::on_exchange_sent(std::uint64_t exchange, WorkerId to) {
  lifecycle_.soon([this, exchange, to] {
    machine_.on_network(worker::ExchangeSent{exchange, to});
  });
}

// ---- faults -------------------------------------------------------------------------------------

void Process::end(const std::string& how, bool silently) {
  if (!lifecycle_.end(silently)) return;
  if (const std::optional<WorkerId> worker = link_.worker()) {
    world_.rounds.gone(*worker);
    world_.pipes.on_gone(*worker);
  }
  world_.on_ended(start_.number, how);
}

}  // namespace surety::sim
