// Chooses the lanes of the next block, with shares by the current port speeds. Every host measures
// its ports while an operation runs and reports them to the planner.
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

// Measures one direction of one port: how much it carried while it had more to carry.
//
// Single chunks show little here, because many connections share the port and chunks come in
// bursts. So all bytes of the port are counted over a window in which it was backlogged all the
// time. Other windows give no sample.
class PortMeter {
 public:
  // `window`: a shorter one measures noise (a shaper lets bursts through); a longer one finds a
  // slow port later.
  explicit PortMeter(Duration window = std::chrono::milliseconds(40)) : window_(window) {}

  // `bytes` have passed since the last call; `backlogged` means that the port still has more to
  // carry. Returns a rate in bytes per second if a window is complete. REQUIRES: times do not
  // decrease.
  [[nodiscard]] std::optional<double> pass(Time now, std::uint64_t bytes, bool backlogged);

 private:
  Duration window_;
  // Start of the window; absent while the port is not backlogged.
  std::optional<Time> since_;
  std::uint64_t bytes_ = 0;
};

// Keeps the estimates from one operation to the next, so that a slow port is found only once.
class PortBook {
 public:
  // `nominal` is indexed by host id. REQUIRES: its rates are positive.
  explicit PortBook(const std::vector<Port>& nominal);

  void observe(Time now, HostId host, const PortSample& sample);
  // Returns the estimated rates. A port that is not clearly slower than its nominal rate has the
  // nominal rate.
  [[nodiscard]] std::vector<Port> ports(Time now) const;

 private:
  struct Estimate {
    BandwidthEstimator out;
    BandwidthEstimator in;
  };
  std::vector<Estimate> estimates_;
};

// Cuts one block after another into lanes. An operation whose sources are its sinks is an
// all-reduce, one with a single source is a pull, and any other is a push.
class BlockPlanner {
 public:
  // `hubs`: hosts that may sum or relay, ascending; if empty, everything goes directly. The hubs of
  // an all-reduce are always its members.
  BlockPlanner(Operation operation, std::vector<HostId> hubs)
      : operation_(std::move(operation)), hubs_(std::move(hubs)) {}

  // Unavailable: a port that is needed has no capacity. REQUIRES: `ports` has all hosts.
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
