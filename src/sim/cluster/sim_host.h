// The effects of a simulated worker's step machine (worker/operations/host.h): which part of the
// process carries out each of them. What comes of them goes to the session from there.
//
// Differences from the real process: an iteration's sum is computed at one place instead of over
// shards (the same additions in the same order), and its time comes from the network as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cluster/blobs.h"
#include "sim/cluster/coordinator_link.h"
#include "sim/cluster/exchange_inbox.h"
#include "sim/cluster/process_start.h"
#include "sim/cluster/processor.h"
#include "sim/cluster/world.h"
#include "worker/session.h"

namespace surety::sim {

class SimHost final : public worker::Host {
 public:
  // The arguments must outlive this.
  SimHost(const World& world, const ProcessStart& start, worker::Session& session,
          Lifecycle& lifecycle, CoordinatorLink& link, Processor& processor, Blobs& blobs,
          ExchangeInbox& inbox)
      : world_(world),
        start_(start),
        session_(session),
        lifecycle_(lifecycle),
        link_(link),
        processor_(processor),
        blobs_(blobs),
        inbox_(inbox) {}

  [[nodiscard]] Time now() const override { return Time{from_seconds(world_.queue.now_s())}; }
  void answer(const proto::FromWorker& message) override;
  void wake_after(Duration delay, std::uint64_t timer) override;
  void start(worker::Work work) override;
  void stop_work() override;
  void rejoin(WorkerId self) override { static_cast<void>(self); }
  void know(const proto::Peer& peer) override { static_cast<void>(peer); }
  [[nodiscard]] Result<void> connect(WorkerId worker) override;
  void join_round(worker::Round round, std::vector<float> values) override;
  void leave_round(std::uint64_t sequence) override;
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
  [[nodiscard]] fabric::KnownPorts first_ports() const override;
  void adapt(fabric::ExchangeOptions& options) const override;
  void on_exchanged(std::uint64_t sequence, const std::vector<float>& before,
                    const std::vector<float>& after, const std::vector<double>& sum) override;

 private:
  const World& world_;
  const ProcessStart& start_;
  worker::Session& session_;
  Lifecycle& lifecycle_;
  CoordinatorLink& link_;
  Processor& processor_;
  Blobs& blobs_;
  ExchangeInbox& inbox_;
};

}  // namespace surety::sim
