// How fast a host's port is, from what has passed it.
//
// Messages say little about ports: they wait for one another, sockets swallow them at once, and
// many hosts share each of the two ports on their way. The network interface counts every byte when
// it passes, but not whether more was waiting. Two things tell a slow port from one with little to
// carry: a fast one has moments in which it shows what it can, and one that is slow carries as much
// in each moment, since there is always something left to carry.
//
// Pure; each direction for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.h"
#include "fabric/transport.h"

namespace surety::fabric {

// Of one direction, lately.
struct CarriedRate {
  double burst_bytes_per_s = 0;      // The most from one look to the next.
  double sustained_bytes_per_s = 0;  // The most over `kSustained` looks.
  bool is_steady = false;            // At most times it was about as much.
};

class PortWatch {
 public:
  static constexpr std::size_t kSustained = 4;

  // What has passed up to now: about every 50 ms. Less than that is the bursts that a shaper lets
  // through. REQUIRES: neither falls.
  void look(Time now, const PortBytes& passed);

  struct Seen {
    CarriedRate out{}, in{};
  };
  // Over the last second; none before there is as much.
  [[nodiscard]] std::optional<Seen> seen() const;

 private:
  struct Look {
    Time at;
    PortBytes passed;
  };
  std::deque<Look> looks_;  // Of the last second, and one before it.
};

// What the port can carry, where that can be told. `typical` is what ports like it can carry: one
// that shows half of it is as good as any, since what came its way went on without waiting for it.
[[nodiscard]] std::optional<double> capacity_of(const CarriedRate& carried, double typical);

}  // namespace surety::fabric
