// The round trips of one worker: its update is pushed to the model, block by block, and then the
// model is pulled, block by block. The next update can only begin when the model has been taken. A
// worker that has retired pushes no more and pulls one last model.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/exchange/options.h"
#include "fabric/exchange/round_work.h"
#include "fabric/scheduler/events.h"

namespace surety::fabric {

// INVARIANT: each block of the update is in exactly one of three states: under way, granted to a
// round, or dropped. Each block is pulled at most once for each update, and a pull ends only when
// all blocks have been pulled.
class RoundTrip {
 public:
  using Vector = RoundWork::Vector;

  // REQUIRES: check(options).
  explicit RoundTrip(const ExchangeOptions& options);

  // Begins with the next update; its number is returned. Diverged: a value is not finite, and
  // nothing has changed. REQUIRES: idle(), not retired, as many values as the model has.
  [[nodiscard]] Result<UpdateNumber> begin(std::vector<float> update);
  // This worker pushes no more updates. REQUIRES: idle(), not retired.
  void retire();
  // True if no update is under way and the model after the last one has been taken.
  [[nodiscard]] bool idle() const { return !update_ && !pulled_; }
  // The number of models that have been pulled so far.
  [[nodiscard]] std::uint64_t pulls() const { return pulls_; }

  struct Pulled {
    std::vector<float> model;
    std::vector<Slice> dropped;  // Dropped parts of this worker's update, which no model contains.
  };
  // Returns the model after an update once.
  [[nodiscard]] std::optional<Pulled> take_pulled();

  // A round in which this worker is a member. Corrupt: the block is not under way to be pushed, or
  // this worker does not wait for it; nothing has changed.
  [[nodiscard]] Result<void> join(const RoundShape& shape);
  // These blocks of the update are never sent. Corrupt: it is not the current update, or one of the
  // blocks is not under way; nothing has changed.
  [[nodiscard]] Result<void> drop(UpdateNumber update, BlockMask blocks);
  // The block of the model has arrived. REQUIRES: a pull of this block was joined.
  void add_pulled(std::uint32_t block);
  // Ends the pull if all blocks have arrived. This worker's update is then in the model, except for
  // dropped parts. O(elements + blocks).
  void end_pull();

  // The values of the update; null if there is none.
  [[nodiscard]] Vector update() const { return update_ ? update_->values : nullptr; }
  // The vector that the current pull is written into.
  [[nodiscard]] Vector pulling() const { return pulling_; }

  // The scheduler has confirmed that no worker pushes any more.
  void confirm_end() { is_confirmed_ = true; }
  // True if the end is confirmed and the last model has arrived.
  [[nodiscard]] bool is_over() const { return is_confirmed_ && has_last_; }
  // Returns the last model. REQUIRES: is_over(). Call it once.
  [[nodiscard]] std::vector<float> take_last_model() { return std::move(*pulling_); }

 private:
  struct Update {
    UpdateNumber number = 0;
    BlockMask under_way = 0;  // Blocks neither granted nor dropped.
    BlockMask dropped = 0;
    Vector values;
  };

  const ExchangeOptions options_;
  std::optional<Update> update_;
  UpdateNumber updates_ = 0;
  std::uint64_t pulls_ = 0;
  Vector pulling_;
  BlockMask pulled_blocks_ = 0;  // Blocks that the current pull has received.
  std::optional<Pulled> pulled_;
  bool is_retired_ = false;
  bool has_last_ = false;
  bool is_confirmed_ = false;
};

}  // namespace surety::fabric
