// One host's part of one round: a block of some members' updates on its way to the owners, or of
// the owners' model on its way to some members.
//
// Every owner's part of the block is an operation of its own (lanes.h): a push with that owner as
// its sink, a pull with it as its source.
#pragma once

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

struct RoundShape {
  RoundId round = 0;
  Direction direction = Direction::kPush;
  std::uint32_t speed_class = 0;
  std::uint32_t block = 0;
  std::vector<HostId> members{};  // Ascending, not empty.
  SharePlan plan{};               // Direct or flat.
};

// Where a piece of data belongs.
struct Address {
  RoundId round = 0;
  std::uint32_t part = 0;  // Of parts_of(), the owner's.
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

  // A pull of which we own a part: what it sends is what the model is now.
  [[nodiscard]] bool wants_snapshot() const { return own_part_ && is_pull() && !snapshot_; }
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
  // Of a finished push: adds the sum to our part of the model.
  void apply(std::span<float> model) const;

  [[nodiscard]] const RoundShape& shape() const { return shape_; }
  [[nodiscard]] bool is_pull() const { return shape_.direction == Direction::kPull; }
  [[nodiscard]] bool is_member() const;
  bool acknowledged = false;  // The scheduler was told that it may go on.

 private:
  [[nodiscard]] Operation operation_of(std::uint32_t part) const;
  [[nodiscard]] Result<void> start(std::uint32_t part, std::span<const float> input,
                                   std::span<float> output);

  RoundShape shape_;
  HostId self_;
  std::vector<Lane> parts_;
  Vector update_, pulled_;
  std::vector<float> sum_;                 // Of our own part, of a push.
  std::optional<std::uint32_t> own_part_;  // Index.
  std::optional<std::vector<float>> snapshot_;
  std::vector<std::unique_ptr<LaneExecutor>> executors_;  // By part; null: not ours, or not yet.
};

}  // namespace surety::fabric
