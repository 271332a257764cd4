// Compares the ports of workers with each other: the speed class of each side, and whether a port
// is fast. A port near a limit keeps the rank that it has (SpeedClasses).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/network/estimator.h"
#include "fabric/network/port.h"

namespace surety::fabric {

// INVARIANT: the classes of a side are relative to one rate, the reference, which is the rate of
// the fastest port when all were last compared.
class PortRanks {
 public:
  // `classes`: the number of speed classes. `workers`: the rates of their ports. Each counts as
  // fast until all are compared. The other functions take only these workers. REQUIRES: there is a
  // worker.
  PortRanks(std::uint32_t classes, const WorkerPorts& workers);

  // The side of the port has this rate now, in bytes per second. Its class follows.
  void set_rate(WorkerId worker, PortSide side, double bytes_per_s);
  // Compares all ports: a port is fast if no side is below half of the median rate of this side.
  // `rates`: the rates of all ports, by the id of the worker. O(workers).
  void compare(std::span<const Port> rates);

  // The class relative to the reference, because the maximum that a port can carry may be unknown.
  [[nodiscard]] std::uint32_t class_of(WorkerId worker, PortSide side) const;
  [[nodiscard]] bool is_fast(WorkerId worker) const { return ranks_[worker.value].is_fast; }

 private:
  struct Rank {
    std::array<std::uint32_t, 2> classes{};  // Classes by side.
    bool is_fast = true;
  };

  std::array<SpeedClasses, 2> speed_classes_;  // Classes by side.
  std::vector<WorkerId> workers_;              // Ascending.
  std::vector<Rank> ranks_;                    // Ranks by the id of the worker.
};

}  // namespace surety::fabric
