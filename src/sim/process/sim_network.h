// The network of a simulated worker (worker/operations/network.h): rounds, blobs and the messages
// of exchanges.
//
// It differs from the real process in one way. An iteration's sum is computed in one place, and not
// in parts by all members. The additions and their order are the same. The sum takes the time of
// one transfer among all members (sim/world/rounds.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/process/blobs.h"
#include "sim/process/exchange_inbox.h"
#include "sim/process/lifecycle.h"
#include "sim/process/process_start.h"
#include "sim/process/world.h"
#include "worker/machine.h"

namespace surety::sim {

class SimNetwork final : public worker::Network {
 public:
  // The arguments must outlive this.
  SimNetwork(const World& world, const ProcessStart& start, worker::Machine& machine,
             Lifecycle& lifecycle, Blobs& blobs, ExchangeInbox& inbox)
      : world_(world),
        start_(start),
        machine_(machine),
        lifecycle_(lifecycle),
        blobs_(blobs),
        inbox_(inbox) {}

  void rejoin(WorkerId self) override { static_cast<void>(self); }
  void know(const proto::Peer& peer) override { static_cast<void>(peer); }
  [[nodiscard]] Result<void> connect(WorkerId worker) override;
  void join_round(worker::Round round, std::vector<float> values) override;
  void leave_round(std::uint64_t sequence) override;
  std::vector<WorkerId> ask_round(std::uint64_t sequence) override;
  [[nodiscard]] Result<void> send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                       std::uint64_t zeros) override;
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) override {
    return blobs_.take(tag);
  }
  void discard_blobs_before(std::uint64_t sequence) override { blobs_.discard_before(sequence); }
  void join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) override;
  void leave_exchange(std::uint64_t sequence) override;
  void send_in_exchange(std::uint64_t sequence, WorkerId to,
                        fabric::Exchange::Send message) override;
  [[nodiscard]] std::optional<fabric::PortBytes> port_bytes() override;
  [[nodiscard]] double wire_scale() const override;

 private:
  const World& world_;
  const ProcessStart& start_;
  worker::Machine& machine_;
  Lifecycle& lifecycle_;
  Blobs& blobs_;
  ExchangeInbox& inbox_;
};

}  // namespace surety::sim
