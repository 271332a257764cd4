// Carries out one host's part of an operation, block by block, as a step machine: messages go in,
// sends come out. (lanes.h explains operations.)
//
// Sums cut through: a hub adds contributions in the order of the sources, not in the order of
// arrival, so the bits are always the same. It sends the sum of a slice as soon as the sum is
// complete, while other slices and blocks are still in transit. Contributions that arrive early
// wait until they are next in order. These and the unfinished sums are the only staging memory:
// messages are accepted for at most `kAheadMax` blocks beyond the first unfinished one. Sends point
// into `input`, `output` or a sum that the send keeps alive; nothing else is copied.
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
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/lanes/lanes.h"

namespace surety::fabric {

// Identifies a message of an operation; Tag::step encodes it.
struct LaneStep {
  std::uint32_t block = 0;
  std::uint32_t lane = 0;
  TransferKind kind = TransferKind::kContribution;
  friend auto operator<=>(const LaneStep&, const LaneStep&) = default;
};
// The code is below 2^29. REQUIRES: within the limits of lanes.h.
[[nodiscard]] std::uint32_t encode_step(LaneStep step);
[[nodiscard]] LaneStep decode_step(std::uint32_t step);

class LaneExecutor {
 public:
  // Blocks beyond the first unfinished one; messages of later blocks are refused.
  static constexpr std::uint32_t kAheadMax = 64;

  // `input`: our vector of operation.elements if we are a source, otherwise empty. It must not
  // change until finished(). `output`: receives the sum if we are a sink or a mirror, otherwise
  // empty. The two may be the same. After a failure the output holds parts of the sum. Both must
  // outlive this object and all sends.
  LaneExecutor(Operation operation, HostId self, std::span<const float> input,
               std::span<float> output);

  // Begins the next block, and its sends become available. Its messages that arrived early are
  // processed now, with the errors of receive(). InvalidInput: it is not the next block, or the
  // lanes do not fit the block.
  [[nodiscard]] Result<void> start(std::uint32_t block, const std::vector<Lane>& lanes);

  struct Send {
    HostId to;
    LaneStep step{};
    std::span<const std::byte> bytes{};
    // Keeps `bytes` alive if they are not in the input or the output.
    std::shared_ptr<const void> keep{};
  };
  // Returns the next message to this host. Sums are sent before contributions, because others wait
  // for them.
  [[nodiscard]] std::optional<Send> next_send(HostId to);
  // Returns the hosts for which next_send() has something, in ascending order.
  [[nodiscard]] std::vector<HostId> destinations() const;
  // A send has left.
  void sent(LaneStep step);

  // InvalidInput: the message is refused and nothing has changed. Corrupt: a value is not finite
  // (NaN or Inf). The error names the sender, and the operation cannot be finished.
  [[nodiscard]] Result<void> receive(HostId from, LaneStep step, std::vector<std::byte> bytes);

  [[nodiscard]] const Operation& operation() const { return operation_; }
  [[nodiscard]] std::uint32_t blocks_started() const { return started_; }
  // For all blocks before this one, we have received all messages, and all our own messages have
  // left.
  [[nodiscard]] std::uint32_t blocks_finished() const;
  [[nodiscard]] bool finished() const { return blocks_finished() == operation_.blocks; }
  // Hosts whose messages of started blocks are missing, in ascending order.
  [[nodiscard]] std::vector<HostId> waiting_for() const;
  // Bytes of contributions and sums that are held: the staging memory.
  [[nodiscard]] std::uint64_t staged_bytes() const { return staged_bytes_; }

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
  struct Block {
    std::vector<Lane> lanes{};
    std::map<std::uint32_t, Summing> summing{};  // Lanes whose hub we are, by index.
    std::map<std::pair<HostId, LaneStep>, Missing> missing{};
    std::size_t to_send = 0;  // Number of our messages that have not left.
  };
  struct Queue {
    std::deque<Send> results;
    std::deque<Send> contributions;
  };

  [[nodiscard]] Result<void> take(Block& block, HostId from, LaneStep step,
                                  std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> keep_early(HostId from, LaneStep step, std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> add(Summing& summing, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> sum_in_order(Block& block, std::uint32_t b, std::uint32_t lane);
  void plan_transfers(std::uint32_t b, Block& block);
  void queue_results(Block& block, std::uint32_t b, std::uint32_t lane, const Summing& summing);
  void forward(const Block& block, LaneStep step);
  [[nodiscard]] Result<void> add_own(Block& block, std::uint32_t b);
  void drop_finished();

  const Operation operation_;
  const HostId self_;
  const std::span<const float> input_;
  const std::span<float> output_;
  // is_recipient_: this host is a sink or a mirror, so it receives the sum.
  const bool is_source_;
  const bool is_recipient_;

  std::uint32_t started_ = 0;
  // All blocks before this one are finished and removed.
  std::uint32_t dropped_ = 0;
  std::map<std::uint32_t, Block> blocks_;  // Blocks started and not removed.
  std::map<HostId, Queue> queues_;
  // Messages of blocks that have not started here; at most kAheadMax blocks.
  std::map<std::uint32_t, std::map<std::pair<HostId, LaneStep>, std::vector<std::byte>>> early_;
  std::uint64_t staged_bytes_ = 0;
};

}  // namespace surety::fabric
