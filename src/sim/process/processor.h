// The background computations of a simulated process (Work in worker/operations/host.h): one at a
// time, and each takes its simulated time.
//
//   idle -> busy -> idle;  busy -> stopping -> idle
//
// A computation that reads has its result, or its error, at once. Every other computation is
// carried out at its end, because only then it is known how much of it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/random.h"
#include "sim/learning/work_cost.h"
#include "sim/network/event_queue.h"
#include "sim/process/lifecycle.h"
#include "worker/operations/host.h"

namespace surety::sim {

struct ProcessorOptions {
  double speed = 1;
  double noise = 0;         // Standard deviation of the logarithm of the time for the same work.
  std::uint64_t batch = 1;  // Samples that are learned before learning may stop.
};

class Processor {
 public:
  // Converts seconds on a node of speed 1 to seconds on this node at this time.
  using ComputingSeconds = std::function<double(double seconds)>;
  struct Owner {
    std::function<WorkCost(const worker::Work&, const ComputingSeconds&)> cost_of;
    std::function<void(const worker::Work&, const Result<void>& outcome)> on_done;
  };
  // `random`: for the noise. The references must outlive this.
  Processor(EventQueue& queue, Lifecycle& lifecycle, const ProcessorOptions& options, Random random,
            Owner owner);

  // From now on new computations take `factor` times as long.
  void set_slowness(double factor) { slowness_ = factor; }

  // REQUIRES: it is idle.
  void start(worker::Work work);
  // Ends the computation at once, even if a real one would run to its end. If a part of the work is
  // a valid result (Work::keeps_part), learning ends after its batch, and the work until then is
  // kept. The result of a read is always kept. The result of all other computations is Unavailable.
  // REQUIRES: it is busy.
  void stop();

 private:
  struct UnderWay {
    std::uint64_t number = 0;
    double began_s = 0;
    worker::Work work;
    WorkCost cost;
    std::optional<Result<void>> outcome;  // If absent, the result is computed at the end.
  };
  [[nodiscard]] double computing_s(double seconds);
  void end_after(double seconds);
  void end(std::uint64_t number);

  EventQueue& queue_;
  Lifecycle& lifecycle_;
  const ProcessorOptions options_;
  Random random_;
  Owner owner_;
  double slowness_ = 1;
  std::optional<UnderWay> work_;
  std::uint64_t last_work_ = 0;  // A computation gets a new number when it is stopped.
};

}  // namespace surety::sim
