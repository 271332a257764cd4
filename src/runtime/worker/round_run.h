// The round that a worker takes part in (worker/operations/network.h): it begins the round on the
// network, measures this worker's port during the round, and reports how the round ended.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "fabric/allreduce/round.h"
#include "fabric/ports/sum_ports.h"
#include "runtime/worker/peer_connections.h"
#include "worker/operations/network.h"

namespace surety::runtime {

class RoundRun {
 public:
  // The references must outlive this object.
  RoundRun(fabric::Rounds& rounds, PeerConnections& connections)
      : rounds_(rounds), connections_(connections) {}

  // Takes part in the round as `self`. If the round cannot begin, take_failure() returns the
  // failure.
  void join(const worker::Round& round, std::vector<float> values, WorkerId self);
  void leave(std::uint64_t sequence);
  // Asks the members whose values are missing what they have sent, and returns these members.
  std::vector<WorkerId> ask(std::uint64_t sequence);
  // Forgets the round without leaving it on the network.
  void forget() { current_.reset(); }
  [[nodiscard]] bool is_active() const { return current_.has_value(); }

  // The time that a caller may wait, at most `wait`. It is shorter while the port must be sampled
  // from time to time.
  [[nodiscard]] Duration patience(Duration wait) const;
  // Returns the failure of a round that could not begin, once.
  [[nodiscard]] std::optional<worker::RoundFailed> take_failure();
  // `finished` is what Rounds::advance() returned, and `blamed` is the worker to blame for an
  // error. Returns the event of the round's end, or nullopt if it has not ended. REQUIRES:
  // is_active().
  [[nodiscard]] std::optional<worker::NetworkEvent> take_end(const Result<bool>& finished,
                                                             WorkerId blamed);

 private:
  struct Current {
    std::uint64_t sequence = 0;
    std::vector<float> values{};
    Time began{};
    bool is_watched = false;  // This worker's port is measured.
    Time sampled{};
    std::optional<worker::RoundFailed> failure{};  // Set if the round could not begin.
  };

  [[nodiscard]] std::optional<worker::RoundFailed> begin(const worker::Round& round, WorkerId self);
  void sample_port(void (fabric::SumWatch::*sample)(Time, const fabric::PortBytes&));

  fabric::Rounds& rounds_;
  PeerConnections& connections_;
  std::optional<Current> current_;
  fabric::SumWatch watch_;  // Measures the port during rounds.
  Duration last_round_{};   // Duration of the last round.
};

}  // namespace surety::runtime
