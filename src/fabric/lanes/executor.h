// Carries out one worker's part of an operation, as a step machine: messages go in, sends come out.
// (lanes.h explains operations.)
//
// Sums cut through: a hub adds contributions in the order of the sources, not in the order of
// arrival, so the bits are always the same. It sends the sum of a slice as soon as the sum is
// complete, while other slices are still in transit. Contributions that arrive early wait until
// they are next in order. These and the unfinished sums are the only staging memory. Sends point
// into `input` or a sum that the send keeps alive; nothing else is copied.
//
// Messages that are unknown, repeated, or of the wrong size are refused with a reason and change
// nothing. The executor owns no transport and reads no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/lanes/lanes.h"

namespace surety::fabric {

// Identifies a message of an operation; Tag::step encodes it.
struct LaneStep {
  std::uint32_t lane = 0;
  TransferKind kind = TransferKind::kContribution;
  friend auto operator<=>(const LaneStep&, const LaneStep&) = default;
};
// REQUIRES: lane < 2^31.
[[nodiscard]] std::uint32_t encode_step(LaneStep step);
[[nodiscard]] LaneStep decode_step(std::uint32_t step);

class LaneExecutor {
 public:
  // `input`: this worker's vector of operation.elements if it is a source, otherwise empty. It must
  // not change until finished(). `output`: receives the sum if this worker is a sink, otherwise
  // empty. The two may be the same. After a failure the output holds parts of the sum. Both must
  // outlive this object and all sends.
  LaneExecutor(Operation operation, WorkerId self, std::span<const float> input,
               std::span<float> output);

  // Begins the operation, and its sends become available. Corrupt: a value of the input is not
  // finite. REQUIRES: the lanes cover the vector (lane_error()); called once, before receive().
  [[nodiscard]] Result<void> start(std::vector<Lane> lanes);

  struct Send {
    WorkerId to;
    LaneStep step{};
    std::span<const std::byte> bytes{};
    // Keeps `bytes` alive if they are not in the input.
    std::shared_ptr<const void> keep{};
  };
  // Returns the next message to this worker. Sums are sent before contributions, because others
  // wait for them.
  [[nodiscard]] std::optional<Send> next_send(WorkerId to);
  // Returns the workers for which next_send() has something, in ascending order.
  [[nodiscard]] std::vector<WorkerId> destinations() const;
  // A send has left.
  void sent();

  // InvalidInput: the message is refused and nothing has changed. Corrupt: a value is not finite
  // (NaN or Inf). The error names the sender, and the operation cannot be finished.
  [[nodiscard]] Result<void> receive(WorkerId from, LaneStep step, std::vector<std::byte> bytes);

  // True if this worker has received all messages, and all its own messages have left.
  [[nodiscard]] bool finished() const;

 private:
  struct Summing {
    Slice slice;
    // Index of the source whose contribution is added next.
    std::size_t next = 0;
    // Allocated with the first contribution.
    std::shared_ptr<std::vector<float>> sum;
    // Early contributions of others, by index of the source.
    std::map<std::size_t, std::vector<std::byte>> early{};
  };
  struct Missing {
    Slice slice;
    std::size_t source = 0;  // Index of the source, for a contribution.
  };
  struct Queue {
    std::deque<Send> results;
    std::deque<Send> contributions;
  };

  [[nodiscard]] Result<void> add(Summing& summing, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> sum_in_order(std::uint32_t lane);
  void plan_transfers();
  void queue_results(std::uint32_t lane, const Summing& summing);

  const Operation operation_;
  const WorkerId self_;
  const std::span<const float> input_;
  const std::span<float> output_;

  bool is_started_ = false;
  std::vector<Lane> lanes_;
  std::map<std::uint32_t, Summing>
      summing_;  // Unfinished lanes whose hub is this worker, by index.
  std::map<std::pair<WorkerId, LaneStep>, Missing> missing_;
  std::map<WorkerId, Queue> queues_;
  std::size_t to_send_ = 0;  // Number of this worker's messages that have not left.
};

}  // namespace surety::fabric
