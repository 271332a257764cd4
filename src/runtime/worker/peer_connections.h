// The connections of a worker to the other workers, by worker.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "fabric/allreduce/round.h"
#include "fabric/transport/transport.h"
#include "proto/surety.pb.h"
#include "worker/operations/network.h"

namespace surety::runtime {

class PeerConnections {
 public:
  // `transport` must outlive this.
  explicit PeerConnections(fabric::Transport& transport) : transport_(transport) {}

  // Closes all connections and forgets all addresses.
  void restart();
  // Stores the address at which the worker can be reached from now on.
  void know(const proto::Peer& peer);

  // The connection to the worker; it is opened if there is none. Defect: no address of the worker
  // is known. InvalidInput: its address is not valid.
  [[nodiscard]] Result<fabric::PeerId> open(WorkerId worker);
  // Absent if there is no connection.
  [[nodiscard]] std::optional<fabric::PeerId> find(WorkerId worker) const;

  // Records that the worker cannot be reached; take_lost() will return it.
  void add_lost(WorkerId worker, const std::string& why) { lost_.push_back({worker, why}); }
  // The transport has lost this connection. A connection of an unknown worker is ignored.
  void on_lost(const fabric::LostPeer& peer);
  [[nodiscard]] bool has_lost() const { return !lost_.empty(); }
  // The workers that were lost since the last call.
  [[nodiscard]] std::vector<worker::WorkerLost> take_lost();

 private:
  fabric::Transport& transport_;
  std::map<WorkerId, std::string> addresses_;
  std::map<WorkerId, fabric::PeerId> connections_;
  std::vector<worker::WorkerLost> lost_;
};

}  // namespace surety::runtime
