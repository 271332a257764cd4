// The messages of exchanges among simulated workers: whole, in order between two of them, each
// once, until the connection between the two breaks.
//
// A large message is a bulk transfer, the next one to the same worker begins after it; a small one
// takes a latency. What is sent over a cut link stands still with all that comes behind it, and
// breaks the connection after the network's silence. Who dies breaks its connections: at once where
// its machine tells so, else after the silence.
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

#include "sim/network.h"
#include "sim/rounds.h"
#include "sim/worker_host.h"

namespace surety::sim {

class Pipes {
 public:
  struct World {
    std::function<Rounds::Member(WorkerId)> member;
    std::function<void(WorkerId to, std::uint64_t exchange, WorkerId from, std::vector<std::byte>)>
        heard;
    std::function<void(WorkerId from, std::uint64_t exchange, WorkerId to)> left;
    std::function<void(WorkerId, std::uint64_t exchange, WorkerId peer)> broken;
  };
  // All must outlive this.
  Pipes(EventQueue& queue, Network& network, World world)
      : queue_(queue), network_(network), world_(std::move(world)) {}

  // `members`: with whom `worker` has connections now, itself among them or not.
  void join(std::uint64_t exchange, WorkerId worker, const std::vector<WorkerId>& members);
  // It hears and says nothing more. What it has said arrives, but for what had not left.
  void leave(std::uint64_t exchange, WorkerId worker);
  // REQUIRES: `from` takes part.
  void send(std::uint64_t exchange, WorkerId from, WorkerId to, Parcel parcel);
  // Its process has ended.
  void gone(WorkerId worker);
  void break_link(WorkerId a, WorkerId b);

 private:
  struct Key {
    std::uint64_t exchange = 0;
    WorkerId from, to;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Pipe {
    std::deque<Parcel> waiting;
    std::optional<Network::BulkId> bulk;  // Of the first one.
  };
  void pump(const Key& key);
  void bulk_done(const Key& key, bool arrived);
  void deliver(const Key& key, std::vector<std::byte> bytes);
  void break_later(std::uint64_t exchange, WorkerId worker, WorkerId peer, double after_s);

  EventQueue& queue_;
  Network& network_;
  World world_;
  std::map<std::uint64_t, std::map<WorkerId, std::set<WorkerId>>> members_;  // By exchange.
  std::map<Key, Pipe> pipes_;
};

}  // namespace surety::sim
