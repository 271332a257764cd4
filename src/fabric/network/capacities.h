// The rates of the ports of hosts and of the links of racks, and the parts of them that are
// promised to rounds. All rates are bytes per second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/network/port_side.h"
#include "fabric/network/shares.h"

namespace surety::fabric {

// INVARIANT: the free rate of a resource is its rate minus the promised rates, and at least 0.
class Capacities {
 public:
  // `racks`: the rates of racks; empty means that the core has no limit.
  explicit Capacities(std::vector<Port> racks);

  // The host has this port from now on.
  // REQUIRES: rack < racks if there are racks.
  void set_port(HostId host, const Port& port);
  // REQUIRES: the host had a port before.
  void set_rate(HostId host, PortSide side, double bytes_per_s);

  // Free rates, and rates without any promises.
  [[nodiscard]] Network spare() const { return {spare_, spare_of_racks_}; }
  [[nodiscard]] Network whole() const { return {whole_, racks_}; }
  [[nodiscard]] double rate(const Resource& resource) const;

  // Promises `bytes_per_s` of a block to a round with these loads. release() takes it back.
  // O(loads + racks).
  void reserve(std::span<const Load> loads, double bytes_per_s);
  void release(std::span<const Load> loads, double bytes_per_s) { reserve(loads, -bytes_per_s); }
  // The largest ratio of promised rate to rate among these resources.
  [[nodiscard]] double most_reserved(std::span<const Load> loads) const;

 private:
  void update_spare(std::uint32_t host);

  // Ports by the id of the host.
  std::vector<Port> whole_;
  std::vector<Port> spare_;
  std::vector<Port> reserved_;
  std::vector<Port> racks_;
  std::vector<Port> spare_of_racks_;
  std::vector<Port> reserved_of_racks_;
};

}  // namespace surety::fabric
