// The network between workers (worker/operations/network.h) over a transport: rounds, blobs and the
// messages of exchanges. One thread calls it; bytes move only within poll().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "fabric/allreduce/round.h"
#include "fabric/transport/transport.h"
#include "runtime/worker/exchange_channels.h"
#include "runtime/worker/peer_connections.h"
#include "runtime/worker/round_run.h"
#include "worker/operations/network.h"

namespace surety::runtime {

class WorkerNetwork final : public worker::Network {
 public:
  using Deliver = std::function<void(worker::NetworkEvent)>;

  // `transport` must outlive this.
  explicit WorkerNetwork(fabric::Transport& transport);
  // Ends all sends that are under way, because this object owns their bytes.
  ~WorkerNetwork() override { rounds_.restart(self_); }
  WorkerNetwork(const WorkerNetwork&) = delete;
  WorkerNetwork& operator=(const WorkerNetwork&) = delete;

  // Moves bytes, and waits up to `wait` if nothing has happened. Delivers the resulting events.
  // `deliver` may call the functions below.
  void poll(Duration wait, const Deliver& deliver);

  void begin_run() override { rounds_.begin_run(); }
  void rejoin(WorkerId self) override;
  void know(const proto::Peer& peer) override { connections_.know(peer); }
  [[nodiscard]] Result<void> connect(WorkerId worker) override;
  void join_round(worker::Round round, std::vector<float> values) override;
  void leave_round(std::uint64_t sequence) override { round_.leave(sequence); }
  std::vector<WorkerId> ask_round(std::uint64_t sequence) override { return round_.ask(sequence); }
  [[nodiscard]] Result<void> send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                       std::uint64_t zeros) override;
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) override;
  void discard_blobs_before(std::uint64_t sequence) override;
  void join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) override;
  void leave_exchange(std::uint64_t sequence) override { channels_.leave(sequence); }
  void send_in_exchange(std::uint64_t sequence, WorkerId to,
                        fabric::Exchange::Send message) override;
  [[nodiscard]] std::optional<fabric::PortBytes> port_bytes() override;
  [[nodiscard]] double wire_scale() const override { return 1; }

 private:
  void deliver_losses_and_end(const Result<bool>& finished, const Deliver& deliver);
  void deliver_exchange(const Deliver& deliver);
  void deliver_blobs(const Deliver& deliver);

  WorkerId self_;
  fabric::Rounds rounds_;
  PeerConnections connections_;
  RoundRun round_;
  ExchangeChannels channels_;
  struct Blob {
    std::uint64_t sequence = 0;  // Number of the command.
    WorkerId to;
    std::uint64_t ticket = 0;
  };
  std::vector<Blob> blobs_;  // Blobs that have not left yet.
};

}  // namespace surety::runtime
