// One worker's part in a simulated asynchronous iteration: a trainer that learns in pieces, from
// one merge point to the next, and the production exchange (fabric/exchange) that brings updates to
// the others and models back. As runtime/worker_exchange.cc, with events instead of a second
// thread.
//
// A step machine: after each call look() says what to send; whoever owns it lends clock and
// network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "fabric/exchange/exchange.h"
#include "learn/local_replica.h"
#include "learn/merge_turns.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/learned_work.h"

namespace surety::sim {

class Stretch {
 public:
  // REQUIRES: check(options); an order with `asynchronous`.
  // `begun`: of this order, in an attempt that came to nothing. `batch`: samples of a batch; of
  // CoCoA, 1.
  Stretch(const proto::Step& order, const fabric::ExchangeOptions& options, WorkerId self,
          const learn::Model& model, worker::LearnedWork begun, std::uint32_t batch, Time now);

  // ---- learning ----
  // What is learned until the next merge point, at the latest.
  struct Piece {
    std::vector<learn::WorkItem> items;
    std::uint32_t steps = 0;  // Batches.
    bool last = false;        // There is nothing after it.
  };
  // None: it waits, or all is learned. `batch_s`: seconds that a batch takes here now, `late_s`:
  // until it shall report what it has.
  [[nodiscard]] std::optional<Piece> next_piece(double batch_s, double late_s);
  // The model that it learns from.
  [[nodiscard]] const learn::Model& model() const { return local_; }
  // The piece is learned: `update` goes into the local model.
  void learned(const Piece& piece, std::span<const float> update, const learn::LocalResult& result);

  // ---- the others ----
  [[nodiscard]] Result<void> heard(Time now, WorkerId from, std::span<const std::byte> bytes);
  void left(WorkerId to) { --in_flight_[to]; }
  void tick(Time now, const fabric::PortBytes& passed) { exchange_.tick(now, passed); }

  struct Send {
    WorkerId to;
    fabric::Exchange::Send message;
  };
  // What is to be sent now. Errors end the stretch, as Exchange::push().
  [[nodiscard]] Result<std::vector<Send>> look(Time now);
  [[nodiscard]] bool ended() const;
  [[nodiscard]] bool has_learned() const { return done_; }  // All that it was given.
  // So far, whatever becomes of the exchange.
  [[nodiscard]] worker::LearnedWork learned_work() const;

  // ---- REQUIRES: ended() ----
  [[nodiscard]] std::vector<float> take_shared() { return exchange_.take_model(); }
  [[nodiscard]] const learn::LocalResult& result() const { return learned_.result; }
  [[nodiscard]] const std::vector<double>& sum() const {
    return sum_;
  }  // The weighted sum of updates.
  [[nodiscard]] const fabric::Exchange& exchange() const { return exchange_; }

 private:
  struct Update {
    std::vector<float> values;
    std::uint32_t steps = 0;
  };
  void arrive(std::uint32_t steps, bool last);
  void settle();

  const proto::Step order_;
  const std::uint32_t batch_;
  fabric::Exchange exchange_;
  learn::Model local_;
  std::vector<float> shared_;  // Its parameters, and the slopes.
  learn::LocalReplica replica_;
  learn::MergeTurns turns_;
  std::vector<learn::WorkItem> left_;  // To learn, in order.
  std::size_t next_ = 0;               // Index into left_.
  worker::LearnedWork learned_;        // Without its change.
  std::vector<double> sum_;
  bool learning_ = false;  // A piece is under way.
  bool waiting_ = false;   // At a merge point.
  bool last_ = false;      // This merge point is the last one.
  bool done_ = false, retired_ = false;
  std::optional<Update> update_;  // To be pushed.
  std::optional<fabric::Exchange::Pulled> answer_;
  std::map<WorkerId, int> in_flight_;  // Messages to each.
};

}  // namespace surety::sim
