// How long a simulated node takes for the background computations of its worker
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
  std::optional<std::uint64_t> samples{};  // Those that are learned before the worker is late.
};

// `computing_s`: the seconds that so many seconds on a node of speed 1 take on this node, now.
// REQUIRES: the machine has a command.
[[nodiscard]] WorkCost cost_of(const worker::Work& work, const worker::Machine& machine,
                               const Learner& learner,
                               const std::function<double(double)>& computing_s);
// What is left of learning that is to stop `elapsed_s` after it began: it ends with its batch.
[[nodiscard]] WorkCost cost_of_stopping(const WorkCost& whole, double elapsed_s,
                                        std::uint64_t batch);

}  // namespace surety::sim
