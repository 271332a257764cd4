// A discrete-event clock: timed callbacks, jobs on the fluid network, and changes of its bandwidth.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>

#include "bench/fabric_sim/scenario.h"
#include "sim/network/fluid.h"

namespace surety::bench::sim {

class SimulationClock {
 public:
  using Callback = std::function<void()>;

  explicit SimulationClock(World& world);

  void after(double seconds, Callback callback);
  // Runs until the given time and calls `ended` for each job that ends. Callbacks with the same
  // time run in the order in which they were added.
  void run(double until_s, const std::function<void(surety::sim::JobId)>& ended);

  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] surety::sim::FluidNetwork& network() { return network_; }

 private:
  struct TimedCallback {
    double at_s;
    std::uint64_t order;
    Callback callback;
    // The top of the queue is the largest entry.
    bool operator<(const TimedCallback& other) const {
      return at_s != other.at_s ? at_s > other.at_s : order > other.order;
    }
  };
  void follow_capacity_changes();

  World& world_;
  surety::sim::FluidNetwork network_;
  double now_s_ = 0;
  std::uint64_t callbacks_ = 0;
  std::priority_queue<TimedCallback> queue_;
};

}  // namespace surety::bench::sim
