// Carries out one worker's part of a schedule: a step machine fed with messages, giving sends.
//
// It owns no transport: the caller sends what next_sends() lists, feeds what arrives to receive(),
// until finished(). Messages of other rounds, of unknown senders, sent twice or of the wrong size
// are refused with a reason and change nothing.
//
// Buffers: sends point into copies that the executor owns (the contribution as it was on entry, and
// the sums), never into `values`, which is written once, when the last message has come. So the
// caller may change `values` or give the round up while sends are under way, as long as the
// executor lives; and a round that was given up can be run again, with other members, on unchanged
// `values`. The price is two more vectors of memory.
//
// Sums: the owner adds weight * contribution in float, starting from zero, in the order of members,
// whatever the order of arrival, and everybody takes its sum: the same bits everywhere, always.
#pragma once

#include <cstddef>
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
  // (all_reduce), or the vector to hand on / to fill (distribute). Must outlive the executor's last
  // receive().
  // `weights[i]` belongs to schedule.members[i]; a distribution ignores them.
  // REQUIRES: self is a member; the schedule fits `values` and passes its check; finite weights.
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
  // Corrupt: not finite (NaN or Inf, in a contribution or a result), naming the sender.
  [[nodiscard]] Result<void> receive(WorkerId from, std::uint32_t step,
                                     std::span<const std::byte> bytes);

  [[nodiscard]] bool finished() const;  // All received, summed and handed out by next_sends().
  [[nodiscard]] std::vector<WorkerId> waiting_for()
      const;  // Whose messages are missing; ascending.

  [[nodiscard]] const std::vector<WorkerId>& members() const { return members_; }
  // What `values` held on entry, so that a round which others could not finish can be run again.
  // Empty for a distribution.
  [[nodiscard]] std::span<const float> contribution() const { return contribution_; }

 private:
  struct Incoming {
    TransferKind kind;
    WorkerId from;
    Slice slice;
  };

  [[nodiscard]] std::span<float> own_sum();
  // Which slice a message of this many bytes is, or why it is refused.
  [[nodiscard]] Result<Slice> expected_slice(WorkerId from, std::uint32_t step,
                                             std::uint64_t bytes) const;
  void check_transfer(const Schedule& schedule, const Transfer& transfer) const;
  void start_all_reduce();
  void start_distribute();
  void sum_in_order();
  void finish_if_complete();

  const std::vector<WorkerId> members_;
  const std::size_t self_;  // Index into members_.
  const std::vector<float> weights_;
  const std::span<float> values_;
  const ScheduleKind kind_;
  const Slice shard_;  // Ours.

  std::vector<float> contribution_;  // All-reduce only: `values` on entry; sends point into it.
  std::vector<float> result_;        // Sums, ours and received; sends point into it.
  std::map<std::size_t, std::vector<float>> early_;  // Contributions that wait for their turn.
  std::size_t next_to_sum_ = 0;                      // Index of the member whose turn it is.

  std::map<std::uint32_t, Incoming> missing_;  // By step; receive() removes.
  std::map<std::uint32_t, Incoming> arrived_;  // By step; receive() adds, to tell a duplicate.
  std::vector<Transfer> ready_;                // For the next call of next_sends().
  std::vector<Transfer> results_to_send_;      // Become ready when our shard is summed.
};

}  // namespace surety::fabric
