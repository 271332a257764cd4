// Two commands that change or keep the model as a whole: Switch (another version of the model) and
// Save (a checkpoint).
#pragma once

#include <cstdint>
#include <memory>

#include "worker/operations/operation.h"

namespace surety::worker {

// The same model in another version; tentative, like the result of a step.
class VersionSwitch final : public Operation {
 public:
  using Operation::Operation;

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;

 private:
  // The background computation writes it.
  struct Changed {
    learn::Model model;
    std::uint64_t checksum = 0;
  };
  std::shared_ptr<Changed> changed_;
};

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
