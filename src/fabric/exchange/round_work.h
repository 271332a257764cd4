// One worker's part of one round. A round moves a block: updates of some members to the owners, the
// owners' model to some members, or the owners' model to other owners.
//
// Every owner's part of the block is a separate operation (fabric/lanes/lanes.h): a push has that
// owner as its sink, a pull has it as its source. A moved block has a part for each pair of an old
// and a new owner that transfers elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/exchange/options.h"
#include "fabric/lanes/executor.h"
#include "fabric/scheduler/events.h"

namespace surety::fabric {

enum class RoundKind : std::uint8_t { kPush, kPull, kMove };

struct RoundShape {
  RoundId round = 0;
  RoundKind kind = RoundKind::kPush;
  std::uint32_t speed_class = 0;
  std::uint32_t block = 0;
  std::vector<Share> owners{};      // Owners of the block; in a move, the old ones.
  std::vector<Share> new_owners{};  // Owners after a move; used by moves only.
  std::vector<WorkerId> members{};  // Ascending, not empty; empty only in a move.
  std::vector<RoundId> without{};   // Pulls only: earlier pushes that it does not wait for.
  SharePlan plan{};
};

struct RoundPart {
  Slice slice{};   // Slice of the model.
  WorkerId owner;  // The owner; in a move, the old one.
  std::vector<WorkerId> sources{};
  std::vector<WorkerId> sinks{};
};
[[nodiscard]] std::vector<RoundPart> parts_of(const RoundShape& shape,
                                              const ExchangeOptions& options);

// The place of a piece of data.
struct Address {
  RoundId round = 0;
  std::uint32_t part = 0;  // Index into parts_of().
  LaneStep step{};
  friend auto operator<=>(const Address&, const Address&) = default;
};

class RoundWork {
 public:
  using Vector = std::shared_ptr<std::vector<float>>;

  // `update`: this worker's update, if it is a member of a push. `pulled`: the vector that a pull
  // is written into, if this worker is a member. Both have the model's size.
  RoundWork(RoundShape shape, const ExchangeOptions& options, WorkerId self, Vector update,
            Vector pulled);

  // True if this worker owns data that this round reads, and its current values have not been
  // copied yet.
  [[nodiscard]] bool needs_snapshot() const { return reads_model_ && !has_snapshot_; }
  // Copies them now. Corrupt: one of them is not finite. REQUIRES: needs_snapshot().
  [[nodiscard]] Result<void> take_snapshot(std::span<const float> model);

  // InvalidInput: the message is not for this worker or is a duplicate; nothing has changed.
  // Corrupt: the round cannot end.
  [[nodiscard]] Result<void> receive(WorkerId from, const Address& address,
                                     std::vector<std::byte> bytes);

  struct Send {
    Address address;
    std::span<const std::byte> bytes;
    // Keeps the bytes alive if they are not in this object.
    std::shared_ptr<const void> keep;
  };
  // The message is marked as sent: the caller must copy the bytes before it calls anything else.
  [[nodiscard]] std::optional<Send> next_send(WorkerId to);
  void add_destinations(std::vector<WorkerId>& workers) const;

  // True if this worker has received all messages and sent all of its own.
  [[nodiscard]] bool finished() const;
  // True if this worker receives the result of the round: an owner in a push, a member in a pull.
  [[nodiscard]] bool is_recipient() const;
  // After a finished push, adds the sums to this worker's parts of the model; after a finished
  // move, sets the parts that now belong to this worker.
  void apply(std::span<float> model) const;

  [[nodiscard]] const RoundShape& shape() const { return shape_; }
  [[nodiscard]] bool is_pull() const { return shape_.kind == RoundKind::kPull; }
  [[nodiscard]] bool is_member() const;
  // True if apply() changes the model.
  [[nodiscard]] bool writes_model() const { return writes_model_; }
  // True if the scheduler was notified that it may grant the next round.
  bool is_acknowledged = false;

 private:
  [[nodiscard]] bool reads(const RoundPart& part) const;
  [[nodiscard]] bool writes(const RoundPart& part) const;
  [[nodiscard]] Result<void> start(std::uint32_t part, std::span<const float> input,
                                   std::span<float> output);

  RoundShape shape_;
  WorkerId self_;
  std::vector<RoundPart> parts_;
  Vector update_;
  Vector pulled_;
  bool reads_model_ = false;
  bool writes_model_ = false;
  bool has_snapshot_ = false;
  // Values of each part, read from the model or, once complete, to be applied to it; empty if the
  // part is not this worker's.
  std::vector<std::vector<float>> values_;
  // Executor of each part; null if the part is not this worker's or has not started.
  std::vector<std::unique_ptr<LaneExecutor>> executors_;
};

}  // namespace surety::fabric
