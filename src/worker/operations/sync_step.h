// Step: one iteration of all workers. Each worker learns from its samples. Then all workers add up
// their updates, and each computes the same next model from the sum. (Asynchronous steps:
// async_step.h.)
//
//   learning -> adding up -> merging -> answered
//
// Learning and merging are background computations, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "worker/operations/learning.h"
#include "worker/operations/merge.h"
#include "worker/operations/operation.h"
#include "worker/operations/round_wait.h"

namespace surety::worker {

class SyncStep final : public Operation {
 public:
  explicit SyncStep(OperationContext context)
      : Operation(std::move(context)), round_(this->context()), merge_(this->context()) {}

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;
  void on_work_stopped(const Result<void>& outcome) override;
  void on_time(std::uint64_t timer) override { round_.on_time(timer); }
  void on_round_done(RoundResult result) override;
  void abandon() override { round_.leave(); }

 private:
  // The background computation writes it.
  struct Learning {
    LearnedWork work;  // Includes the work of earlier tries of this iteration.
    Learned learned;
    std::vector<float> values;  // What this worker adds to the sum.
  };
  [[nodiscard]] const proto::Step& order() const { return command().step(); }
  [[nodiscard]] static Result<void> learn(const OperationContext& context, const WorkLimits& limits,
                                          Learning& learning);
  void keep_learned_work();
  void sum_up();

  std::shared_ptr<Learning> learning_;
  RoundWait round_;
  Merge merge_;
  proto::StepDone done_;  // The answer, as far as it is known.
};

}  // namespace surety::worker
