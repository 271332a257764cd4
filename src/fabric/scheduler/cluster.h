// The hosts as the scheduler sees them: which are present, how fast their ports are, and how much
// of each port is promised to rounds.
//
// Estimates change when there is evidence and when refresh() is called. Between these they are
// constant, so a decision reads arrays and computes no logarithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/scheduler/estimator.h"
#include "fabric/scheduler/shares.h"

namespace surety::fabric {

struct ClusterOptions {
  EstimatorOptions estimator{};
  std::vector<Port> racks{};  // Nominal rates; empty means that the core has no limit.
  // Number of speed classes; more than one only makes sense with several owners.
  std::uint32_t classes = 1;
};

enum class PortSide : std::uint8_t { kOut, kIn };

// The side of a member's own port that a transfer in this direction loads.
[[nodiscard]] constexpr PortSide side_of(Direction direction) {
  return direction == Direction::kPush ? PortSide::kOut : PortSide::kIn;
}
[[nodiscard]] inline double& rate_of(Port& port, PortSide side) {
  return side == PortSide::kOut ? port.out_bytes_per_s : port.in_bytes_per_s;
}
[[nodiscard]] inline double rate_of(const Port& port, PortSide side) {
  return side == PortSide::kOut ? port.out_bytes_per_s : port.in_bytes_per_s;
}

class Cluster {
 public:
  explicit Cluster(ClusterOptions options);

  // REQUIRES: the host is not present; rates are above 0; rack < racks if there are racks.
  void join(HostId host, const Port& nominal, bool aggregates);
  void leave(HostId host);
  [[nodiscard]] bool is_present(HostId host) const;

  void observe(Time now, HostId host, PortSide side, double bytes_per_s);
  void refresh(Time now);  // O(hosts).

  [[nodiscard]] double rate(HostId host, PortSide side) const;
  // Relative to the fastest port at the last refresh, because the maximum that a port can carry may
  // be unknown.
  [[nodiscard]] std::uint32_t speed_class(HostId host, PortSide side) const;
  [[nodiscard]] std::uint32_t classes() const { return options_.classes; }
  // True if, at the last refresh, neither side was below half of the median port's rate.
  [[nodiscard]] bool has_fast_port(HostId host) const { return hosts_[host.value].has_fast_port; }

  // Capacities that current rounds leave free, and capacities as if there were no rounds.
  [[nodiscard]] Network spare() const { return {spare_, spare_of_racks_}; }
  [[nodiscard]] Network whole() const { return {whole_, racks_}; }
  // Only hosts with fast ports: all others would wait for what a slow port carries for them.
  [[nodiscard]] std::span<const HostId> aggregators() const { return aggregators_; }

  // Promises `bytes_per_s` of the block to a round with these loads. release() takes it back.
  void reserve(std::span<const Load> loads, double bytes_per_s);
  void release(std::span<const Load> loads, double bytes_per_s);
  // The largest ratio of promised to estimated rate among these resources.
  [[nodiscard]] double most_reserved(std::span<const Load> loads) const;
  [[nodiscard]] double capacity(const Resource& resource) const;  // The estimated rate.

 private:
  struct Host {
    std::vector<BandwidthEstimator> sides{};  // Out, then in.
    std::uint32_t classes[2] = {0, 0};
    bool is_present = false;
    bool aggregates = false;
    bool has_fast_port = true;
  };
  void compare();
  void classify(HostId host, PortSide side);
  [[nodiscard]] SpeedClasses& classes_of(PortSide side) {
    return speed_classes_[static_cast<std::size_t>(side)];
  }
  void set_rate(HostId host, PortSide side, double bytes_per_s);
  [[nodiscard]] double& promised(const Resource& resource);
  void update_spare(std::uint32_t host);
  void list_aggregators();

  ClusterOptions options_;
  SpeedClasses speed_classes_[2];  // One for each side.
  std::vector<Host> hosts_;        // Hosts by id.
  // Indexed by id: the estimates, and the estimates less what is reserved.
  std::vector<Port> whole_;
  std::vector<Port> spare_;
  std::vector<Port> reserved_;  // Reserved rates by id.
  std::vector<Port> racks_;
  std::vector<Port> spare_of_racks_;
  std::vector<Port> reserved_of_racks_;
  std::vector<HostId> aggregators_;  // Sorted in ascending order.
};

}  // namespace surety::fabric
