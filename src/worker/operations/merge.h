// The end of a step: the worker computes the next model from the sum over all workers, and answers
// the step with the checksum of this model. This is a background computation (host.h), because it
// visits each parameter, and with a line search each sample of this worker.
//
// The worker's state does not change before the merge is done, with one exception: the task
// shortens its own tentative state (Task::choose_step()), which the next step discards. If a step
// is replaced during its merge, the committed model and the learned work of local SGD do not
// change.
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

  // `values` is the result of the round or of the exchange (worker/state/iteration_sums.h). `done`
  // is the answer without checksum and reduce_s. `learned` is the time at which this worker had
  // learned all its samples.
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
