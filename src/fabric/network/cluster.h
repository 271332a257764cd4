// The scheduler's knowledge about the hosts: the rates of their ports, and the parts of these that
// are promised to rounds. It estimates the rates of ports, and derives from them capacities
// (capacities.h), ranks (port_ranks.h) and the hosts that may sum and relay.
//
// Estimates change when there is evidence and when refresh() is called. Otherwise they are
// constant, so a decision reads arrays and computes no logarithms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fabric/network/capacities.h"
#include "fabric/network/estimator.h"
#include "fabric/network/port.h"
#include "fabric/network/port_ranks.h"
#include "fabric/network/shares.h"

namespace surety::fabric {

struct ClusterOptions {
  EstimatorOptions estimator{};
  // Number of speed classes; more than one only makes sense with several owners.
  std::uint32_t classes = 1;
};

class Cluster {
 public:
  // `hosts`: the assumed rates of their ports. All other functions take only these hosts. REQUIRES:
  // there is a host, and rates are above 0.
  Cluster(const ClusterOptions& options, const HostPorts& hosts);

  void observe(Time now, HostId host, PortSide side, double bytes_per_s);
  void refresh(Time now);  // O(hosts).

  [[nodiscard]] double rate(HostId host, PortSide side) const;
  // The speed class of this side of the port, relative to the fastest port. A port is fast if no
  // side is below half of the median rate of this side. Both change with estimates and, for all
  // hosts, with refresh().
  [[nodiscard]] std::uint32_t speed_class(HostId host, PortSide side) const {
    return ranks_.class_of(host, side);
  }
  [[nodiscard]] bool has_fast_port(HostId host) const { return ranks_.is_fast(host); }
  [[nodiscard]] std::uint32_t classes() const { return classes_; }

  // Ports by the id of the host: the rates that current rounds leave free, and the full rates.
  [[nodiscard]] std::span<const Port> spare() const { return capacities_.spare(); }
  [[nodiscard]] std::span<const Port> whole() const { return capacities_.whole(); }
  // Only hosts with fast ports, because all others would wait for data that pass a slow port.
  [[nodiscard]] std::span<const HostId> aggregators() const { return aggregators_; }

  // Promises `bytes_per_s` of the block to a round with these loads. release() takes it back.
  void reserve(std::span<const Load> loads, double bytes_per_s) {
    capacities_.reserve(loads, bytes_per_s);
  }
  void release(std::span<const Load> loads, double bytes_per_s) {
    capacities_.release(loads, bytes_per_s);
  }

 private:
  void set_rate(HostId host, PortSide side, double bytes_per_s);
  void list_aggregators();

  const std::uint32_t classes_;
  // The estimates of a host: out, then in.
  std::map<HostId, std::array<BandwidthEstimator, 2>> estimators_;
  Capacities capacities_;
  PortRanks ranks_;
  std::vector<HostId> aggregators_;  // Sorted in ascending order.
};

}  // namespace surety::fabric
