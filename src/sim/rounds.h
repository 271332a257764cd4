// Rounds among simulated workers: who has come, what the sum is, when it is there.
//
// A round begins to flow when every member has come with its values; it ends for all at once. It
// breaks for those who wait when a member dies (at once, if its process ended and its machine tells
// so; after the network's silence, if the machine is gone) or when a cut lasts too long.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/network.h"
#include "sim/worker.h"

namespace surety::sim {

// Weighted, in the order of the members; for a distribution a holder's values.
[[nodiscard]] std::vector<float> result_of(const Round& round,
                                           const std::map<WorkerId, std::vector<float>>& values);

class Rounds {
 public:
  struct Member {
    HostIndex host = 0;
    bool is_gone = false;    // Its process has ended ...
    bool is_silent = false;  // ... and its machine does not say so.
  };
  struct World {
    std::function<Member(WorkerId)> member;
    std::function<void(WorkerId, std::uint64_t sequence, const std::vector<float>&)> finished;
    std::function<void(WorkerId, std::uint64_t sequence, WorkerId peer)> broken;
  };
  // All must outlive this.
  Rounds(EventQueue& queue, Network& network, World world)
      : queue_(queue), network_(network), world_(std::move(world)) {}

  void join(const Round& round, WorkerId worker, std::vector<float> values);
  void leave(std::uint64_t sequence, WorkerId worker);
  // Its process has ended: whoever waits for it in a round will know.
  void gone(WorkerId worker);
  // The connection between two is lost, though both live: what flows over it breaks.
  void break_link(WorkerId a, WorkerId b);

 private:
  struct State {
    Round round;
    std::map<WorkerId, std::vector<float>> values;
    std::optional<Network::BulkId> bulk;
  };
  static std::vector<WorkerId> everybody(const Round& round);
  void flow(std::uint64_t sequence, State& state);
  void done(std::uint64_t sequence, bool arrived);
  void break_for_all(std::uint64_t sequence, WorkerId peer, double after_s);

  EventQueue& queue_;
  Network& network_;
  World world_;
  std::map<std::uint64_t, State> rounds_;
};

}  // namespace surety::sim
