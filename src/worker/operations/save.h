// The command Save: a part of a checkpoint.
#pragma once

#include <memory>

#include "worker/operations/operation.h"

namespace surety::worker {

// This worker's part of a checkpoint: the model and the state of its chunks, as far as the command
// requests them.
class Save final : public Operation {
 public:
  using Operation::Operation;

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;

 private:
  std::shared_ptr<proto::Saved> saved_;  // The computation writes it.
};

}  // namespace surety::worker
