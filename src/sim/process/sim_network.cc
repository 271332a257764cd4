#include "sim/process/sim_network.h"

#include <utility>

#include "sim/process/held.h"

namespace surety::sim {

// ---- rounds and blobs ---------------------------------------------------------------------------

Result<void> SimNetwork::connect(WorkerId worker) {
  SURETY_TRY(world_.peers.find(worker));
  return {};
}

void SimNetwork::join_round(worker::Round round, std::vector<float> values) {
  if (const proto::ToWorker& command = *machine_.command(); command.has_step()) {
    world_.watch.sums().on_joined(start_.number, command.step(), values);
  }
  const double bytes = world_.options.learner.model_bytes(round.version);
  world_.rounds.join(std::move(round), bytes, machine_.state().self, std::move(values));
}

void SimNetwork::leave_round(std::uint64_t sequence) {
  world_.rounds.leave(sequence, machine_.state().self);
}

std::vector<WorkerId> SimNetwork::ask_round(std::uint64_t sequence) {
  return world_.rounds.ask(sequence, machine_.state().self);
}

Result<void> SimNetwork::send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                   std::uint64_t zeros) {
  tag.sender = machine_.state().self.value;
  return blobs_.send(to, tag, std::move(bytes), zeros);
}

// ---- exchanges ----------------------------------------------------------------------------------

void SimNetwork::join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) {
  const WorkerId self = machine_.state().self;
  world_.watch.on_learning(self, held_by(machine_.state()), *machine_.command());
  world_.pipes.join(sequence, self, members);
  if (!inbox_.join(sequence)) return;
  lifecycle_.after(0, [this, sequence] {
    if (!inbox_.is_in(sequence)) return;
    for (const auto& [from, bytes] : inbox_.take_early(sequence)) {
      machine_.on_network(worker::ExchangeMessage{sequence, from, bytes});
    }
  });
}

void SimNetwork::leave_exchange(std::uint64_t sequence) {
  world_.pipes.leave(sequence, machine_.state().self);
  inbox_.leave();
}

void SimNetwork::send_in_exchange(std::uint64_t sequence, WorkerId to,
                                  fabric::Exchange::Send message) {
  const auto bytes = static_cast<double>(message.bytes.size());
  const double wire_bytes = message.data ? wire_scale() * bytes : bytes;
  world_.pipes.send(sequence, machine_.state().self, to, {std::move(message.bytes), wire_bytes});
}

// The result counts the bytes of the exchange, not the bytes on the wire.
std::optional<fabric::PortBytes> SimNetwork::port_bytes() {
  const fabric::PortBytes passed = world_.network.port_bytes(start_.host);
  const auto scaled = [scale = wire_scale()](std::uint64_t bytes) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) / scale);
  };
  return fabric::PortBytes{.out = scaled(passed.out), .in = scaled(passed.in)};
}

double SimNetwork::wire_scale() const {
  return sim::wire_scale(world_.options.learner, machine_.state().model);
}

}  // namespace surety::sim
