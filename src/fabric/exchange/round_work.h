// One host's part of one round: a block of some members' updates on its way to the owners, or of
// the owners' model on its way to some members, or to other owners.
//
// Every owner's part of the block is an operation of its own (lanes.h): a push with that owner as
// its sink, a pull with it as its source. A block that is moved has a part for each two hosts of
// which one has what is the other's from now on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/core/events.h"
#include "fabric/exchange/options.h"
#include "fabric/lanes/executor.h"

namespace surety::fabric {

enum class RoundKind : std::uint8_t { kPush, kPull, kMove };

struct RoundShape {
  RoundId round = 0;
  RoundKind kind = RoundKind::kPush;
  std::uint32_t speed_class = 0;
  std::uint32_t block = 0;
  std::vector<Share> owners{};      // Of the block; of a move, before it.
  std::vector<Share> new_owners{};  // Of a move.
  std::vector<HostId> members{};    // Ascending, not empty; but none of a move.
  std::vector<RoundId> without{};   // Of a pull: earlier pushes that it does not wait for.
  SharePlan plan{};                 // Direct or flat.
};

struct RoundPart {
  Slice slice{};  // Of the model.
  HostId owner;   // Of a move, before it.
  std::vector<HostId> sources{}, sinks{};
};
[[nodiscard]] std::vector<RoundPart> parts_of(const RoundShape& shape,
                                              const ExchangeOptions& options);

// Where a piece of data belongs.
struct Address {
  RoundId round = 0;
  std::uint32_t part = 0;  // Of parts_of().
  LaneStep step{};
  friend auto operator<=>(const Address&, const Address&) = default;
};

class RoundWork {
 public:
  using Vector = std::shared_ptr<std::vector<float>>;

  // `update`: ours, where we are a member of a push; `pulled`: where a pull is put, if we are a
  // member. Both of the model's size.
  RoundWork(RoundShape shape, const ExchangeOptions& options, HostId self, Vector update,
            Vector pulled);

  // We own what is read: what is sent is what the model is now.
  [[nodiscard]] bool wants_snapshot() const { return reads_model_ && !has_snapshot_; }
  [[nodiscard]] Result<void> take_snapshot(std::span<const float> model);

  // InvalidInput: not for us, or came twice; nothing changed. Corrupt: the round cannot end.
  [[nodiscard]] Result<void> receive(HostId from, const Address& address,
                                     std::vector<std::byte> bytes);

  struct Send {
    Address address;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> keep;  // Of the bytes, where it is not this object.
  };
  // Marked as sent: the caller copies the bytes before anything else is called.
  [[nodiscard]] std::optional<Send> next_send(HostId to);
  void add_wanting(std::vector<HostId>& hosts) const;
  // Whose messages are missing; a host may come several times.
  [[nodiscard]] std::vector<HostId> waiting_for() const;

  // Nothing is missing here and nothing of ours is unsent.
  [[nodiscard]] bool finished() const;
  // Whether we hear what the round is for: an owner of a push, a member of a pull.
  [[nodiscard]] bool hears() const;
  // Of a finished push or move: adds the sums to the parts of the model that are ours, or sets
  // those that became ours.
  void apply(std::span<float> model) const;

  [[nodiscard]] const RoundShape& shape() const { return shape_; }
  [[nodiscard]] bool is_pull() const { return shape_.kind == RoundKind::kPull; }
  [[nodiscard]] bool is_member() const;
  // apply() changes the model.
  [[nodiscard]] bool writes_model() const { return writes_model_; }
  bool acknowledged = false;  // The scheduler was told that it may go on.

 private:
  [[nodiscard]] bool reads(const RoundPart& part) const;
  [[nodiscard]] bool writes(const RoundPart& part) const;
  [[nodiscard]] Result<void> start(std::uint32_t part, std::span<const float> input,
                                   std::span<float> output);

  RoundShape shape_;
  HostId self_;
  std::vector<RoundPart> parts_;
  Vector update_, pulled_;
  bool reads_model_ = false, writes_model_ = false, has_snapshot_ = false;
  std::vector<std::vector<float>> values_;  // By part: what the model is or, once all is there,
                                            // what is to be applied to it; empty: not ours.
  std::vector<std::unique_ptr<LaneExecutor>> executors_;  // By part; null: not ours, or not yet.
};

}  // namespace surety::fabric
