// The hosts as the scheduler sees them: who is there, how fast its port is, what of it is promised.
//
// Estimates are refreshed when there is evidence, and by refresh() for the rest; between the two
// they stand still, so that a decision reads arrays and computes no logarithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/core/estimator.h"
#include "fabric/core/shares.h"

namespace surety::fabric {

struct ClusterOptions {
  EstimatorOptions estimator{};
  std::vector<Port> racks{};  // Nominal; empty: nothing limits the core.
  std::uint32_t classes = 1;  // Of speed; more than one only with several owners.
};

enum class PortSide : std::uint8_t { kOut, kIn };

// The side of a member's own port that loads it.
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

  // REQUIRES: the host is not there; rates above 0; rack < racks, where there are any.
  void join(HostId host, const Port& nominal, bool aggregates);
  void leave(HostId host);
  [[nodiscard]] bool present(HostId host) const;

  void observe(Time now, HostId host, PortSide side, double bytes_per_s);
  void refresh(Time now);  // O(hosts).

  [[nodiscard]] double rate(HostId host, PortSide side) const;
  // Relative to the fastest port as of the last refresh: nobody may know what one can carry at
  // most.
  [[nodiscard]] std::uint32_t speed_class(HostId host, PortSide side) const;
  [[nodiscard]] std::uint32_t classes() const { return options_.classes; }
  // As of the last refresh, neither side was below half of what the port in the middle has.
  [[nodiscard]] bool is_quick(HostId host) const { return hosts_[host.value].is_quick; }

  // What rounds under way leave free, and what there would be without any.
  [[nodiscard]] Network spare() const { return {spare_, spare_of_racks_}; }
  [[nodiscard]] Network whole() const { return {whole_, racks_}; }
  // Quick ones: what a slow port carries for others, they wait for.
  [[nodiscard]] std::span<const HostId> aggregators() const { return aggregators_; }

  // Promises `bytes_per_s` of block to a round with these loads. release() takes it back.
  void reserve(std::span<const Load> loads, double bytes_per_s);
  void release(std::span<const Load> loads, double bytes_per_s);
  // Of these resources, the largest promise over what the estimate is.
  [[nodiscard]] double most_reserved(std::span<const Load> loads) const;
  [[nodiscard]] double capacity(const Resource& resource) const;  // The estimate.

 private:
  struct Host {
    std::vector<BandwidthEstimator> sides{};  // Out, in.
    std::uint32_t classes[2] = {0, 0};
    bool present = false, aggregates = false, is_quick = true;
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
  SpeedClasses speed_classes_[2];    // Of either side.
  std::vector<Host> hosts_;          // By id.
  std::vector<Port> whole_, spare_;  // By id: the estimates, and less what is reserved.
  std::vector<Port> reserved_;       // By id.
  std::vector<Port> racks_, spare_of_racks_, reserved_of_racks_;
  std::vector<HostId> aggregators_;  // Ascending.
};

}  // namespace surety::fabric
