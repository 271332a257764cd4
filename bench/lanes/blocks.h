// One host's part of the sum of a long vector, which is cut into blocks. Each block is an operation
// of its own (fabric/lanes), with lanes that are chosen when it starts. So the shares of hubs
// follow port speeds that change while the vector is in transit.
//
// A mirror is a host with a copy of the sinks' vector. The first sink sends it the sum of each
// block when the block is complete there. In a push, the port of this sink sends no other data. So
// a mirror is cheaper than an additional sink, which receives the sums from the hubs: each hub
// sends its share twice then.
//
// In jobs a scheduler (fabric/scheduler) orders the blocks of a model instead, and the authors of
// updates keep them, so there are no mirrors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/lanes/executor.h"

namespace surety::bench {

struct BlockedOperation {
  std::vector<WorkerId> sources{};  // Ascending, not empty; also the order of summation.
  std::vector<WorkerId> sinks{};    // Ascending, not empty.
  std::uint64_t elements = 0;       // Length of the vector.
  std::uint32_t blocks = 1;         // The number is from 1 to kBlocksMost.
  std::vector<WorkerId> mirrors{};  // Ascending; none is a sink.
};
inline constexpr std::uint32_t kBlocksMost = 1u << 14;

// Whether the host receives the sum, as sinks and mirrors do.
[[nodiscard]] bool is_recipient(const BlockedOperation& operation, WorkerId host);
[[nodiscard]] fabric::Slice slice_of(const BlockedOperation& operation, std::uint32_t block);

// Identifies a message; Tag::step encodes it.
struct BlockStep {
  std::uint32_t block = 0;
  bool is_for_mirror = false;
  fabric::LaneStep step{};
  friend auto operator<=>(const BlockStep&, const BlockStep&) = default;
};
// The code is below 2^30. REQUIRES: block < kBlocksMost, lane < kLanesMax.
[[nodiscard]] std::uint32_t encode_block_step(const BlockStep& step);
[[nodiscard]] BlockStep decode_block_step(std::uint32_t code);

class BlockedExecutor {
 public:
  // Blocks beyond the first unfinished one; messages of later blocks are refused.
  static constexpr std::uint32_t kAheadMax = 64;

  // `input` and `output` are as in LaneExecutor; a mirror has an output, too.
  BlockedExecutor(BlockedOperation operation, WorkerId self, std::span<const float> input,
                  std::span<float> output);

  // Begins the next block, and processes its messages that arrived early, with the errors of
  // receive(). Lanes have places in their block. InvalidInput: it is not the next block, or the
  // lanes do not fit the block.
  [[nodiscard]] Result<void> start(std::uint32_t block, std::vector<fabric::Lane> lanes);

  struct Send {
    BlockStep step{};
    std::span<const std::byte> bytes{};
    std::shared_ptr<const void> keep{};
  };
  // Returns the next message to this host, of the earliest block that has one.
  [[nodiscard]] std::optional<Send> next_send(WorkerId to);
  // Returns the hosts for which next_send() has something, in ascending order.
  [[nodiscard]] std::vector<WorkerId> destinations() const;
  // A send has left. Corrupt: a mirror's part cannot start, as receive().
  [[nodiscard]] Result<void> sent(const BlockStep& step);

  // InvalidInput: the message is refused and nothing has changed. Corrupt: a value is not finite;
  // the error names the sender.
  [[nodiscard]] Result<void> receive(WorkerId from, const BlockStep& step,
                                     std::vector<std::byte> bytes);

  [[nodiscard]] const BlockedOperation& operation() const { return operation_; }
  [[nodiscard]] std::uint32_t blocks_started() const { return started_; }
  // For all blocks before this one, we have received all messages, and all our own messages have
  // left.
  [[nodiscard]] std::uint32_t blocks_finished() const { return finished_; }
  [[nodiscard]] bool finished() const { return finished_ == operation_.blocks; }
  // Hosts whose messages of started blocks are missing, in ascending order.
  [[nodiscard]] std::vector<WorkerId> waiting_for() const;
  // Upper limit of the bytes of contributions and sums that are held: the staging memory.
  [[nodiscard]] std::uint64_t staged_bytes() const;

 private:
  struct Block {
    std::vector<fabric::Lane> lanes{};
    // Messages that have not arrived: a host, and the step.
    std::set<std::pair<WorkerId, BlockStep>> missing{};
    std::unique_ptr<fabric::LaneExecutor> sum{};
    // Copies the sum from the first sink to the mirrors. It is null on other hosts, and on the
    // first sink until the sum is complete.
    std::unique_ptr<fabric::LaneExecutor> copy{};
  };

  [[nodiscard]] bool copies() const;
  void expect_messages(std::uint32_t b, bool is_for_mirror, const fabric::Operation& operation,
                       const std::vector<fabric::Lane>& lanes);
  [[nodiscard]] std::uint64_t staged_by(const Block& block) const;
  [[nodiscard]] Result<void> start_copy(std::uint32_t b, Block& block);
  [[nodiscard]] Result<void> drop_finished();
  [[nodiscard]] Result<void> keep_early(WorkerId from, const BlockStep& step,
                                        std::vector<std::byte> bytes);

  const BlockedOperation operation_;
  const WorkerId self_;
  const std::span<const float> input_;
  const std::span<float> output_;

  std::uint32_t started_ = 0;
  std::uint32_t finished_ = 0;
  std::map<std::uint32_t, Block> blocks_;  // Blocks that have started and are not finished.
  // Messages of blocks that have not started here; at most kAheadMax blocks.
  std::map<std::uint32_t, std::map<std::pair<WorkerId, BlockStep>, std::vector<std::byte>>> early_;
  std::uint64_t early_bytes_ = 0;
};

}  // namespace surety::bench
