// The rates of the ports of workers, and the parts of them that are promised to rounds. All rates
// are bytes per second.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/network/port.h"
#include "fabric/network/shares.h"

namespace surety::fabric {

// INVARIANT: the free rate of a side is its rate minus the promised rates, and at least 0.
class Capacities {
 public:
  // REQUIRES: the worker has no port yet.
  void set_port(WorkerId worker, const Port& port);
  // REQUIRES: the worker has a port.
  void set_rate(WorkerId worker, PortSide side, double bytes_per_s);

  // Ports by the id of the worker: the free rates, and the full rates.
  [[nodiscard]] std::span<const Port> spare() const { return spare_; }
  [[nodiscard]] std::span<const Port> whole() const { return whole_; }

  // Promises `bytes_per_s` of a block to a round with these loads. release() takes it back.
  // O(loads).
  void reserve(std::span<const Load> loads, double bytes_per_s);
  void release(std::span<const Load> loads, double bytes_per_s) { reserve(loads, -bytes_per_s); }

 private:
  void update_spare(std::uint32_t worker);

  // Ports by the id of the worker.
  std::vector<Port> whole_;
  std::vector<Port> spare_;
  std::vector<Port> reserved_;
};

}  // namespace surety::fabric
