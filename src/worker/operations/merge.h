// The end of a step: the worker makes the next model of what all workers have together, and answers
// the step with its checksum. It is a background computation (host.h), because it visits each
// parameter, and with a line search each sample of this worker.
//
// Nothing of the worker's state changes before the merge is done, except that the task shortens its
// own tentative state (Task::choose_step()), which the next step discards. If a step is
// replaced while it merges, the committed model and what local SGD has learned stay as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "learn/model.h"
#include "proto/surety.pb.h"
#include "worker/operations/host.h"
#include "worker/operations/operation.h"

namespace surety::worker {

class Merge {
 public:
  // `context` is of a step, and must outlive this object.
  explicit Merge(const OperationContext& context) : context_(context) {}

  // `values`: what the round or the exchange gave (worker/state/iteration_sums.h). `done`: the
  // answer without checksum and reduce_s. This worker had learned all samples at `learned`.
  void begin(std::vector<float> values, proto::StepDone done, Time learned);
  // The background computation of the step is, or was, the merge.
  [[nodiscard]] bool has_begun() const { return merged_ != nullptr; }
  // The model is tentative now, and the step is answered. REQUIRES: has_begun().
  void on_work_done(const Result<void>& outcome);

 private:
  // The background computation takes the values and writes the model.
  struct Merged {
    std::vector<float> values;
    learn::Model model;
    std::uint64_t checksum = 0;
  };
  static void run(const OperationContext& context, Merged& merged);

  const OperationContext& context_;
  std::shared_ptr<Merged> merged_;
  proto::StepDone done_;
  Time learned_{};
};

}  // namespace surety::worker
