// Evaluate: the worker's part of the loss on validation samples, and of the duality gap.
#pragma once

#include <memory>

#include "worker/operations/operation.h"

namespace surety::worker {

class Evaluation final : public Operation {
 public:
  using Operation::Operation;

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;

 private:
  std::shared_ptr<learn::Evaluation> total_;  // The computation writes it.
  Time began_{};
};

}  // namespace surety::worker
