// The scheduler's knowledge about the workers: the rates of their ports, and the parts of these
// that are promised to rounds. It estimates the rates of ports, and derives from them capacities
// (capacities.h), ranks (port_ranks.h) and the workers that may sum and relay.
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
  // Number of speed classes; more than one only makes sense with several owners.
  std::uint32_t classes = 1;
};

class Cluster {
 public:
  // `workers`: the assumed rates of their ports. All other functions take only these workers.
  // REQUIRES: there is a worker, and rates are above 0.
  Cluster(const ClusterOptions& options, const WorkerPorts& workers);

  void observe(Time now, WorkerId worker, PortSide side, double bytes_per_s);
  void refresh(Time now);  // O(workers).

  [[nodiscard]] double rate(WorkerId worker, PortSide side) const;
  // The speed class of this side of the port, relative to the fastest port. A port is fast if no
  // side is below half of the median rate of this side. Both change with estimates and, for all
  // workers, with refresh().
  [[nodiscard]] std::uint32_t speed_class(WorkerId worker, PortSide side) const {
    return ranks_.class_of(worker, side);
  }
  [[nodiscard]] bool has_fast_port(WorkerId worker) const { return ranks_.is_fast(worker); }
  [[nodiscard]] std::uint32_t classes() const { return classes_; }

  // Ports by the id of the worker: the rates that current rounds leave free, and the full rates.
  [[nodiscard]] std::span<const Port> spare() const { return capacities_.spare(); }
  [[nodiscard]] std::span<const Port> whole() const { return capacities_.whole(); }
  // Only workers with fast ports, because all others would wait for data that pass a slow port.
  [[nodiscard]] std::span<const WorkerId> aggregators() const { return aggregators_; }

  // Promises `bytes_per_s` of the block to a round with these loads. release() takes it back.
  void reserve(std::span<const Load> loads, double bytes_per_s) {
    capacities_.reserve(loads, bytes_per_s);
  }
  void release(std::span<const Load> loads, double bytes_per_s) {
    capacities_.release(loads, bytes_per_s);
  }

 private:
  void set_rate(WorkerId worker, PortSide side, double bytes_per_s);
  void list_aggregators();

  const std::uint32_t classes_;
  // The estimates of a worker: out, then in.
  std::map<WorkerId, std::array<BandwidthEstimator, 2>> estimators_;
  Capacities capacities_;
  PortRanks ranks_;
  std::vector<WorkerId> aggregators_;  // Sorted in ascending order.
};

}  // namespace surety::fabric
