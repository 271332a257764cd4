// The time that a simulated node takes for the background computations of its worker
// (worker/operations/host.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/learning/learner.h"
#include "worker/machine.h"

namespace surety::sim {

struct WorkCost {
  double seconds = 0;
  std::optional<std::uint64_t> samples{};  // Samples that are learned before the worker is late.
};

// `computing_s` converts seconds on a node of speed 1 to seconds on this node at this time.
// REQUIRES: the machine has a command.
[[nodiscard]] WorkCost cost_of(const worker::Work& work, const worker::Machine& machine,
                               const Learner& learner,
                               const std::function<double(double)>& computing_s);
// The remaining time of learning that is asked to stop `elapsed_s` after its beginning: it ends
// after the current batch.
[[nodiscard]] WorkCost cost_of_stopping(const WorkCost& whole, double elapsed_s,
                                        std::uint64_t batch);

}  // namespace surety::sim
