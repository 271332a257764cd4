// One worker's part in an asynchronous iteration: it learns in pieces, from one merge point to the
// next, and exchanges updates and models with the other workers (fabric/exchange).
//
// This is a step machine. Its owner computes the pieces, passes on messages and the time, and after
// each call sends what next_sends() returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "fabric/exchange/exchange.h"
#include "learn/async/local_replica.h"
#include "learn/async/merge_turns.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/operations/work_pieces.h"
#include "worker/state/learned_work.h"

namespace surety::worker {

class AsyncLearner {
 public:
  // `begun` is what this worker learned for the same order in a try that was aborted. `batch`
  // is the number of samples of a batch; it is absent for CoCoA, whose items are learned whole.
  // Only if `keeps_sum` is set, there is a sum(). REQUIRES: the order has `asynchronous` with
  // `steps` > 0; begun.is_of(order); check(options).
  AsyncLearner(const proto::Step& order, const fabric::ExchangeOptions& options, WorkerId self,
               const learn::Model& model, LearnedWork begun, std::optional<std::uint32_t> batch,
               bool keeps_sum, Time now);

  // ---- learning ----
  // Work up to the next merge point; it may have no items.
  struct Piece {
    std::vector<learn::WorkItem> items;
    bool ends = false;  // No items follow.
  };
  // Returns none while a piece is computed, while the worker waits for an answer, and after the
  // last piece. A worker that is late gets no more items, unless it has not learned from any sample
  // yet.
  [[nodiscard]] std::optional<Piece> next_piece(bool is_late);
  // The model that the next piece is learned from.
  [[nodiscard]] const learn::Model& model() const { return local_; }
  // The piece was computed, perhaps only in part. `update` is added to the local model. If `last`
  // is set, this worker learns no further piece. REQUIRES: next_piece() gave it.
  void on_learned(std::span<const float> update, const learn::LocalResult& result, bool last);
  [[nodiscard]] bool has_learned_all() const {
    return phase_ == Phase::kLearned || phase_ == Phase::kRetired;
  }
  // The work that was learned so far. It is valid even if the exchange fails.
  [[nodiscard]] LearnedWork learned_work() const;

  // ---- exchanging ----
  // Errors end the iteration, as those of Exchange::receive() and Exchange::push() do.
  [[nodiscard]] Result<void> on_message(Time now, WorkerId from, std::span<const std::byte> bytes);
  void on_sent(WorkerId to) { --in_flight_[to]; }  // A message has left this machine.
  void tick(Time now, const std::optional<fabric::PortBytes>& passed) {
    exchange_.tick(now, passed);
  }

  struct Send {
    WorkerId to;
    fabric::Exchange::Send message;
  };
  // The messages to be sent now. Errors: those of Exchange::push() and Exchange::failure().
  [[nodiscard]] Result<std::vector<Send>> next_sends(Time now);
  // All members have the same model, and no message of this worker is still being sent.
  [[nodiscard]] bool has_ended() const;

  // ---- REQUIRES: has_ended() ----
  [[nodiscard]] std::vector<float> take_shared() { return exchange_.take_model(); }
  [[nodiscard]] const learn::LocalResult& result() const { return learned_.result; }
  // The weighted sum of this worker's updates, for checkers.
  [[nodiscard]] const std::optional<std::vector<double>>& sum() const { return sum_; }
  [[nodiscard]] const fabric::Exchange& exchange() const { return exchange_; }

 private:
  enum class Phase : std::uint8_t {
    kReady,         // The next piece may be learned.
    kLearning,      // A piece is being computed.
    kAtMergePoint,  // The worker waits for its turn to continue to learn.
    kAtLastPoint,   // The worker waits for its turn after the last piece.
    kLearned,       // Nothing is left to learn.
    kRetired,       // Nothing is left, and the exchange knows that no update follows.
  };
  void reach_merge_point(std::uint32_t steps, bool last);
  void take_turns();
  [[nodiscard]] Result<void> push_or_retire(Time now);

  const double weight_;  // Weight of this worker's updates in the model.
  fabric::Exchange exchange_;
  learn::Model local_;
  std::vector<float> shared_;  // The parameters of local_, and the slopes.
  learn::LocalReplica replica_;
  learn::MergeTurns turns_;
  // Its change is that of the earlier try; learned_work() computes the current one.
  LearnedWork learned_;
  WorkPieces pieces_;  // Samples that are not learned yet.
  std::optional<std::vector<double>> sum_;
  Phase phase_ = Phase::kReady;
  std::optional<std::vector<float>> update_;  // The update to be pushed next.
  std::optional<fabric::Exchange::Pulled> answer_;
  std::map<WorkerId, int> in_flight_;  // Messages to each member that have not left yet.
};

}  // namespace surety::worker
