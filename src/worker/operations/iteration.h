// Step: one iteration of all workers. Each learns from its samples, then all add up what they
// learned, and each makes the same next model of the sum. (Asynchronous steps: async_step.h.)
#pragma once

#include <memory>
#include <span>

#include "worker/operations/learning.h"
#include "worker/operations/operation.h"

namespace surety::worker {

class Iteration final : public Operation {
 public:
  using Operation::Operation;

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;
  void on_work_stopped(const Result<void>& outcome) override;
  void on_round_done(RoundResult result) override;
  void abandon() override;

 private:
  // Written by the work.
  struct Attempt {
    LearnedWork work;  // With what was learned in earlier attempts at this iteration.
    Learned learned;
  };
  [[nodiscard]] const proto::Step& order() const { return command().step(); }
  [[nodiscard]] static Result<void> learn(const OperationContext& context, const WorkLimits& limits,
                                          Attempt& attempt);
  void keep_learned_work();
  void sum_up();

  std::shared_ptr<Attempt> attempt_;
  bool is_in_round_ = false;
};

}  // namespace surety::worker
