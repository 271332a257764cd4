// Chooses the lanes of the next block, with shares by the current port speeds. Every host measures
// its ports while an operation runs and reports them to the planner.
//
// In jobs the scheduler (fabric/scheduler) plans the rounds of an exchange instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "bench/lanes/control.h"
#include "fabric/network/estimator.h"

namespace surety::bench {

// The part of an all-reduce that each member sums. Let t be the seconds for a byte of the vector,
// and C_i the rate of the slower direction of member i's port. Member i carries (1 - s_i) + (K - 1)
// s_i <= t C_i in each direction, so s_i = (t C_i - 1) / (K - 2), and the shares sum to 1 at the
// smallest t. A member that is too slow for a share has no share; it only sends and receives its
// vector. With K = 2 every share gives the same load, so both have a half. REQUIRES: members
// ascending, with positive port rates. O(K log K).
[[nodiscard]] std::vector<fabric::Share> all_reduce_shares(const std::vector<fabric::Port>& ports,
                                                           const std::vector<WorkerId>& members);

// Measures one direction of one port: its rate while more bytes were waiting.
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
class PortEstimates {
 public:
  // `nominal` is indexed by host id. REQUIRES: its rates are positive.
  explicit PortEstimates(const std::vector<fabric::Port>& nominal);

  void observe(Time now, WorkerId host, const PortSample& sample);
  // Returns the estimated rates. A port that is not clearly slower than its nominal rate has the
  // nominal rate.
  [[nodiscard]] std::vector<fabric::Port> ports(Time now) const;

 private:
  struct Estimate {
    fabric::Port nominal;
    fabric::BandwidthEstimator out;
    fabric::BandwidthEstimator in;
  };
  std::vector<Estimate> estimates_;
};

// Cuts one block after another into lanes. An operation whose sources are its sinks is an
// all-reduce, one with a single source is a pull, and any other is a push.
class BlockPlanner {
 public:
  // `hubs`: hosts that may sum or relay, ascending; if empty, all data are sent directly. The hubs
  // of an all-reduce are always its members.
  BlockPlanner(BlockedOperation operation, std::vector<WorkerId> hubs)
      : operation_(std::move(operation)), hubs_(std::move(hubs)) {}

  // Unavailable: a port that is needed has no capacity. REQUIRES: `ports` has all hosts.
  [[nodiscard]] Result<std::vector<fabric::Lane>> lanes(std::uint32_t block,
                                                        const std::vector<fabric::Port>& ports);

 private:
  [[nodiscard]] bool is_pull() const { return operation_.sources.size() == 1; }
  [[nodiscard]] std::optional<fabric::SharePlan> plan(const std::vector<fabric::Port>& ports);
  const BlockedOperation operation_;
  const std::vector<WorkerId> hubs_;
  fabric::SharePlanner planner_;
};

}  // namespace surety::bench
