// Delivers the messages of exchanges between simulated workers. Each arrives as a whole and once.
// Messages between two workers arrive in order, until the connection between the two breaks.
//
// A large message is a bulk transfer, and the next one to the same worker begins after it; a small
// message takes a latency. A message over a cut link stops, with all messages after it, and the
// connection breaks after the network's silence. A dead worker's connections break at once if its
// machine closes them, else after the silence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/network/network.h"
#include "sim/world/rounds.h"

namespace surety::sim {

// A message of an exchange, and its size on the network.
struct Parcel {
  std::vector<std::byte> bytes;
  double wire_bytes = 0;
};

class Pipes {
 public:
  struct World {
    std::function<Rounds::Member(WorkerId)> member;
    std::function<void(WorkerId to, std::uint64_t exchange, WorkerId from, std::vector<std::byte>)>
        received;
    std::function<void(WorkerId from, std::uint64_t exchange, WorkerId to)> left;
    std::function<void(WorkerId, std::uint64_t exchange, WorkerId peer)> broken;
  };
  // All arguments must outlive this object.
  Pipes(EventQueue& queue, Network& network, World world)
      : queue_(queue), network_(network), world_(std::move(world)) {}

  // `members`: the workers that `worker` has connections with now; `worker` itself may be among
  // them.
  void join(std::uint64_t exchange, WorkerId worker, const std::vector<WorkerId>& members);
  // From now on the worker neither receives nor sends. Messages that it has sent still arrive.
  void leave(std::uint64_t exchange, WorkerId worker);
  // REQUIRES: `from` takes part.
  void send(std::uint64_t exchange, WorkerId from, WorkerId to, Parcel parcel);
  // The process of the worker has ended.
  void on_gone(WorkerId worker);
  void break_link(WorkerId a, WorkerId b);

 private:
  struct Key {
    std::uint64_t exchange = 0;
    WorkerId from;
    WorkerId to;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Pipe {
    std::deque<Parcel> waiting;
    std::optional<Network::BulkId> bulk;  // Transfer of the first waiting message.
  };
  void pump(const Key& key);
  void on_bulk_done(const Key& key, bool arrived);
  void deliver(const Key& key, std::vector<std::byte> bytes);
  void break_later(std::uint64_t exchange, WorkerId worker, WorkerId peer, double after_s);

  EventQueue& queue_;
  Network& network_;
  World world_;
  // Members and their connections, by exchange.
  std::map<std::uint64_t, std::map<WorkerId, std::set<WorkerId>>> members_;
  std::map<Key, Pipe> pipes_;
};

}  // namespace surety::sim
