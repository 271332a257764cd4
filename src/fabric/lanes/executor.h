// Carries out one host's part of an operation, block by block: a step machine fed with messages,
// giving sends. (lanes.h says what an operation is.)
//
// Sums cut through: a hub adds what it hears, in the order of the sources whatever the order of
// arrival (so the bits are always the same), and sends the sum of a slice on when it is complete,
// while other slices and blocks are still on their way. What comes before its turn waits; that,
// and the sums under way, is all the staging memory there is: at most `ahead_max` blocks beyond the
// first unfinished one are taken from anybody. Sends point into `input`, `output` or a sum that the
// send keeps alive: nothing else is copied.
//
// Messages that are unknown, repeated, or of the wrong size are refused with a reason and change
// nothing. It owns no transport and reads no clock.
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

// Which message of an operation: what Tag::step says of it.
struct LaneStep {
  std::uint32_t block = 0;
  std::uint32_t lane = 0;
  TransferKind kind = TransferKind::kContribution;
  friend auto operator<=>(const LaneStep&, const LaneStep&) = default;
};
// Below 2^29. REQUIRES: within the limits of lanes.h.
[[nodiscard]] std::uint32_t encode_step(LaneStep step);
[[nodiscard]] LaneStep decode_step(std::uint32_t step);

class LaneExecutor {
 public:
  struct Options {
    std::vector<float> weights{};  // Of the sources; empty: all 1. A weight of 1 copies the bits.
    std::uint32_t ahead_max = 64;  // Blocks; a message of a later one is refused.
  };

  // `input`: our vector, if we are a source, of operation.elements; else empty. It must stay as it
  // is until finished(). `output`: gets the sum, if we are a sink or a mirror; else empty. The two
  // may be the same; after a failure the output holds parts of the sum. Both must outlive this and
  // all sends.
  LaneExecutor(Operation operation, HostId self, Options options, std::span<const float> input,
               std::span<float> output);

  // Begins the next block; messages of it that came before are taken in now, with the errors of
  // receive(). Its sends then become available.
  // InvalidInput: the lanes are not of the next block.
  [[nodiscard]] Result<void> start(std::uint32_t block, const std::vector<Lane>& lanes);

  struct Send {
    HostId to;
    LaneStep step{};
    std::span<const std::byte> bytes{};
    std::shared_ptr<const void> keep{};  // Holds `bytes`, where neither input nor output does.
  };
  // What to send to this host next: sums before contributions, since others wait for them.
  [[nodiscard]] std::optional<Send> next_send(HostId to);
  // Hosts for which next_send() has something; ascending.
  [[nodiscard]] std::vector<HostId> wanting() const;
  // A send has left.
  void sent(LaneStep step);

  // InvalidInput: refused, nothing changed. Corrupt: not finite (NaN or Inf), naming the sender;
  // the operation cannot be finished.
  [[nodiscard]] Result<void> receive(HostId from, LaneStep step, std::vector<std::byte> bytes);

  [[nodiscard]] const Operation& operation() const { return operation_; }
  [[nodiscard]] std::uint32_t blocks_started() const { return started_; }
  // All blocks before this one: nothing is missing here, and all that we send has left.
  [[nodiscard]] std::uint32_t blocks_finished() const;
  [[nodiscard]] bool finished() const { return blocks_finished() == operation_.blocks; }
  // Whose messages of started blocks are missing; ascending.
  [[nodiscard]] std::vector<HostId> waiting_for() const;
  // Bytes of contributions and sums that are held; the staging memory.
  [[nodiscard]] std::uint64_t staged_bytes() const { return staged_bytes_; }

 private:
  struct Summing {
    Slice slice;
    std::size_t next = 0;                                   // Index of the source whose turn it is.
    std::shared_ptr<std::vector<float>> sum;                // Allocated with the first one.
    std::map<std::size_t, std::vector<std::byte>> early{};  // Others', by index of the source.
  };
  struct Missing {
    Slice slice;
    std::size_t source = 0;  // Index, for a contribution.
  };
  struct Block {
    std::vector<Lane> lanes{};
    std::map<std::uint32_t, Summing> summing{};  // By lane; of which we are the hub.
    std::map<std::pair<HostId, LaneStep>, Missing> missing{};
    std::size_t to_send = 0;  // Not yet sent().
  };
  struct Queue {
    std::deque<Send> results, contributions;
  };

  [[nodiscard]] Result<void> take(Block& block, HostId from, LaneStep step,
                                  std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> keep_early(HostId from, LaneStep step, std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> add(Summing& summing, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> sum_in_order(Block& block, std::uint32_t b, std::uint32_t lane);
  void plan_transfers(std::uint32_t b, Block& block);
  void hand_out(Block& block, std::uint32_t b, std::uint32_t lane, const Summing& summing);
  void pass_on(const Block& block, LaneStep step);
  [[nodiscard]] Result<void> add_own(Block& block, std::uint32_t b);
  void drop_finished();

  const Operation operation_;
  const HostId self_;
  const Options options_;
  const std::span<const float> input_;
  const std::span<float> output_;
  const bool is_source_, hears_;  // Sinks and mirrors hear the sum.

  std::uint32_t started_ = 0;
  std::uint32_t dropped_ = 0;              // Blocks before this one are finished and forgotten.
  std::map<std::uint32_t, Block> blocks_;  // Started and not dropped.
  std::map<HostId, Queue> queues_;
  // Of blocks that have not started here, at most ahead_max of them.
  std::map<std::uint32_t, std::map<std::pair<HostId, LaneStep>, std::vector<std::byte>>> early_;
  std::uint64_t staged_bytes_ = 0;
};

}  // namespace surety::fabric
