// Carries out one worker's part of a schedule: a step machine fed with messages, giving sends.
//
// It owns no transport: the caller sends what next_sends() lists, feeds what arrives to receive(),
// until finished(). Messages of other rounds, of unknown senders, sent twice or of the wrong size
// are refused with a reason and change nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/schedule.h"

namespace surety::fabric {

class RoundExecutor {
 public:
  // `values`: this worker's contribution on entry (unweighted), the weighted sum of all on finish
  // (all_reduce), or the vector to hand on / to fill (distribute). Must outlive the executor.
  // `weights[i]` belongs to schedule.members[i].
  RoundExecutor(const Schedule& schedule, WorkerId self, std::vector<float> weights,
                std::span<float> values);

  struct Send {
    WorkerId to;
    std::uint32_t step = 0;
    std::span<const std::byte> bytes;  // Into buffers that stay until the executor is destroyed.
  };
  // Sends that have become possible since the last call.
  [[nodiscard]] std::vector<Send> next_sends();

  // A message of this round. InvalidInput: refused, nothing changed (a duplicate included).
  // Corrupt: not finite (NaN or Inf in a contribution), naming the sender.
  [[nodiscard]] Result<void> receive(WorkerId from, std::uint32_t step,
                                     std::span<const std::byte> bytes);

  [[nodiscard]] bool finished() const;   // All received, summed and handed out by next_sends().
  [[nodiscard]] std::vector<WorkerId> waiting_for() const;  // Whose messages are missing.
};

}  // namespace surety::fabric
