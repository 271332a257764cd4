// Rounds among simulated workers: the members that have joined, the sum, and the time at which it
// arrives.
//
// The transfer of a round begins when every member has joined with its values, and ends for all at
// the same time. The round breaks for waiting members if a cut lasts too long or a member dies: at
// once if its process ended and its machine closes the connections, or after the network's silence
// if the machine has vanished.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "sim/network/network.h"
#include "worker/operations/network.h"

namespace surety::sim {

class Rounds {
 public:
  struct Member {
    HostIndex host = 0;
    bool is_gone = false;  // Its process has ended.
    // Its process has ended, but its machine does not close the connections.
    bool is_silent = false;
  };
  struct World {
    std::function<Member(WorkerId)> member;
    std::function<void(WorkerId, std::uint64_t sequence, const std::vector<float>&)> finished;
    std::function<void(WorkerId, std::uint64_t sequence, WorkerId peer)> broken;
  };
  // All arguments must outlive this object.
  Rounds(EventQueue& queue, Network& network, World world)
      : queue_(queue), network_(network), world_(std::move(world)) {}

  // The worker takes part with its values. `bytes`: those of the whole vector on the wire.
  // REQUIRES: worker::check(round, worker).
  void join(worker::Round round, double bytes, WorkerId worker, std::vector<float> values);
  void leave(std::uint64_t sequence, WorkerId worker);
  // The worker asks for the values that are missing. If some were lost, the round breaks for it.
  // Returns the members that have not joined, or whose values were lost.
  std::vector<WorkerId> ask(std::uint64_t sequence, WorkerId worker);
  // The values that this worker gives to its current round, or otherwise to its next one, are lost,
  // although its connections stay.
  void lose_values(WorkerId worker);
  // The process of the worker has ended. Members that wait for it will notice.
  void gone(WorkerId worker);
  // The connection between two live workers is lost, and transfers over it break.
  void break_link(WorkerId a, WorkerId b);

 private:
  struct State {
    worker::Round round{};
    double bytes = 0;
    std::map<WorkerId, std::vector<float>> values{};
    std::set<WorkerId> lost{};  // Members whose values were lost.
    std::optional<Network::BulkId> bulk{};
  };
  static std::vector<WorkerId> everybody(const worker::Round& round);
  void flow(std::uint64_t sequence, State& state);
  void done(std::uint64_t sequence, bool arrived);
  void break_for_all(std::uint64_t sequence, WorkerId peer, double after_s);

  EventQueue& queue_;
  Network& network_;
  World world_;
  std::map<std::uint64_t, State> rounds_;
  std::set<WorkerId> loses_next_;  // Their next values will be lost.
};

}  // namespace surety::sim
