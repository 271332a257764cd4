// Carries out what one worker does in a schedule, as a step machine: messages go in, sends come
// out.
//
// It owns no transport. Until finished(), the caller sends the messages that next_sends() returns,
// and passes arriving messages to receive(). A message of another round or from an unknown sender,
// a duplicate, or one of the wrong size is refused with a reason and changes nothing.
//
// Buffers: sends point into copies that the executor owns (the contribution as it was on entry, and
// the sums), never into `values`. `values` is written once, when the last message has arrived. So
// while sends are under way, the caller may change `values` or abandon the round, as long as the
// executor exists. An abandoned round can be run again with other members, because `values` is
// unchanged. The price is two more vectors of memory.
//
// Sums: the owner adds weight * contribution in float, starting from zero, in the order of members
// and not in the order of arrival. All members take the owner's sum, so all have the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/allreduce/schedule.h"

namespace surety::fabric {

class RoundExecutor {
 public:
  // `values`: on entry, this worker's contribution (unweighted); on finish, the weighted sum of all
  // (all_reduce). In a distribution: the vector to send, or the vector to fill. It must outlive the
  // executor's last receive(). `weights[i]` belongs to schedule.members[i]; a distribution ignores
  // the weights. REQUIRES: self is a member; the schedule fits `values` and passes its check; all
  // weights are finite.
  RoundExecutor(const Schedule& schedule, WorkerId self, std::vector<float> weights,
                std::span<float> values);

  struct Send {
    WorkerId to;
    std::uint32_t step = 0;
    // Points into buffers that stay valid until the executor is destroyed.
    std::span<const std::byte> bytes;
  };
  // Returns the sends that have become possible since the last call.
  [[nodiscard]] std::vector<Send> next_sends();

  // Takes a message of this round. InvalidInput: the message is refused and nothing has changed;
  // this includes duplicates. Corrupt: a contribution or a result is not finite (NaN or Inf); the
  // error names the sender.
  [[nodiscard]] Result<void> receive(WorkerId from, std::uint32_t step,
                                     std::span<const std::byte> bytes);

  // True when all messages are received and summed and next_sends() has returned all sends.
  [[nodiscard]] bool finished() const;
  // Returns the members whose messages are missing, in ascending order.
  [[nodiscard]] std::vector<WorkerId> waiting_for() const;
  // The number of messages that have arrived from this member. O(messages).
  [[nodiscard]] std::uint32_t received_from(WorkerId member) const;

  [[nodiscard]] const std::vector<WorkerId>& members() const { return members_; }

 private:
  struct Incoming {
    TransferKind kind;
    WorkerId from;
    Slice slice;
  };

  [[nodiscard]] std::span<float> own_sum();
  // Returns the slice that this message must hold, or InvalidInput with why the message is refused.
  [[nodiscard]] Result<Slice> expected_slice(WorkerId from, std::uint32_t step,
                                             std::uint64_t bytes) const;
  void check_transfer(const Schedule& schedule, const Transfer& transfer) const;
  void start_all_reduce();
  void start_distribute();
  void sum_in_order();
  void finish_if_complete();

  const std::vector<WorkerId> members_;
  const std::size_t self_;  // This worker's index into members_.
  const std::vector<float> weights_;
  const std::span<float> values_;
  const ScheduleKind kind_;
  const Slice part_;  // The part that this worker owns.

  std::vector<float> contribution_;  // All-reduce only: `values` as on entry; sends point into it.
  std::vector<float> result_;  // This worker's own sum and the received ones; sends point into it.
  // Contributions that arrived before they could be added, by index of the member.
  std::map<std::size_t, std::vector<float>> early_;
  // Index of the member whose contribution is added next.
  std::size_t next_to_sum_ = 0;

  std::map<std::uint32_t, Incoming> missing_;  // Messages to come, by step; receive() removes.
  // Messages received, by step; receive() adds, so that it can recognise duplicates.
  std::map<std::uint32_t, Incoming> arrived_;
  std::vector<Transfer> ready_;            // The next call of next_sends() returns these.
  std::vector<Transfer> results_to_send_;  // They become ready when this worker's part is summed.
};

}  // namespace surety::fabric
