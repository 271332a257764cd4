// Asynchronous Step: each worker learns in pieces and exchanges updates and models with the others
// at its own pace (async_learner.h), until all have the same model. Then it leaves the exchange
// and merges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/operations/async_learner.h"
#include "worker/operations/learning.h"
#include "worker/operations/merge.h"
#include "worker/operations/operation.h"

namespace surety::worker {

class AsyncStep final : public Operation {
 public:
  explicit AsyncStep(OperationContext context)
      : Operation(std::move(context)), merge_(this->context()) {}

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;
  void on_work_stopped(const Result<void>& outcome) override;
  void on_time(std::uint64_t timer) override;
  void on_lost(WorkerId worker, const std::string& why) override;
  void on_exchange_message(WorkerId from, const std::vector<std::byte>& bytes) override;
  void on_exchange_sent(WorkerId to) override;
  void abandon() override;

 private:
  // The background computation writes it.
  struct Learning {
    AsyncLearner::Piece piece;
    Time started{};
    Learned learned;
  };
  [[nodiscard]] const proto::Step& order() const { return command().step(); }
  [[nodiscard]] Result<fabric::ExchangeOptions> exchange_options() const;
  [[nodiscard]] LearnedWork begun_work() const;
  void learn_piece();
  void take_learned();
  // Tells the coordinator every two seconds that this worker learns nothing and waits for others.
  void report_waiting();
  // Called after each event: sends the next messages, and learns the next piece or ends the
  // exchange.
  void advance(const Result<void>& so_far);
  void leave();
  void finish();

  std::optional<AsyncLearner> learner_;  // Absent after the end of the exchange.
  std::shared_ptr<Learning> learning_;   // The piece that is computed.
  // The time at which the first piece began, moved on by all time in which a model was prepared.
  std::optional<Time> began_;
  Time ended_{};  // Time at which the last piece ended.
  // Time of the last message of report_waiting(); absent before the first one.
  std::optional<Time> reported_;
  double begun_s_ = 0;                  // Seconds of learning in earlier tries.
  std::optional<std::uint64_t> timer_;  // Present after begin().
  Merge merge_;
};

}  // namespace surety::worker
