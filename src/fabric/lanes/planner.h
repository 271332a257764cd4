// What lanes the next block gets: shares by the ports as they are now. And the ports: measured by
// every host while an operation runs, told to the one who plans.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "fabric/core/estimator.h"
#include "fabric/lanes/control.h"
#include "fabric/lanes/lanes.h"

namespace surety::fabric {

// One direction of one port: what it carried while it had more to carry.
//
// Single chunks say little here: many connections share the port, and chunks come in bursts. So all
// bytes of the port are counted over a window in which it was backlogged throughout; a window that
// it was not says nothing.
class PortMeter {
 public:
  // `window`: shorter is noise (a shaper lets bursts through); longer finds a slow port later.
  explicit PortMeter(Duration window = std::chrono::milliseconds(40)) : window_(window) {}

  // `bytes` have passed since the last call; `backlogged`: the port still has more to carry. A rate
  // in bytes a second where a window is complete. REQUIRES: times do not fall.
  [[nodiscard]] std::optional<double> pass(Time now, std::uint64_t bytes, bool backlogged);

 private:
  Duration window_;
  std::optional<Time> since_;  // Start of the window; none while the port is not backlogged.
  std::uint64_t bytes_ = 0;
};

// Keeps the estimates from one operation to the next, so that a slow port is found once.
class PortBook {
 public:
  // REQUIRES: positive nominal rates; by host id.
  explicit PortBook(const std::vector<Port>& nominal);

  void observe(Time now, HostId host, const PortSample& sample);
  // Those that are not clearly slower than planned are as planned.
  [[nodiscard]] std::vector<Port> ports(Time now) const;

 private:
  struct Estimate {
    BandwidthEstimator out, in;
  };
  std::vector<Estimate> estimates_;
};

// Cuts one block after another. An operation whose sources are its sinks is an all-reduce, one with
// a single source a pull, any other a push.
class BlockPlanner {
 public:
  // `hubs`: who may sum or relay, ascending; without any, all goes directly. Hubs of an all-reduce
  // are its members, whatever is given.
  BlockPlanner(Operation operation, std::vector<HostId> hubs)
      : operation_(std::move(operation)), hubs_(std::move(hubs)) {}

  // Unavailable: a port that is needed has no capacity. REQUIRES: ports of all hosts.
  [[nodiscard]] Result<std::vector<Lane>> lanes(std::uint32_t block,
                                                const std::vector<Port>& ports);

 private:
  [[nodiscard]] bool is_pull() const { return operation_.sources.size() == 1; }
  [[nodiscard]] std::optional<SharePlan> plan(const std::vector<Port>& ports);
  const Operation operation_;
  const std::vector<HostId> hubs_;
  SharePlanner planner_;
};

}  // namespace surety::fabric
