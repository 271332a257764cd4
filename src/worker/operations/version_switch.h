// The command Switch: the model gets another version.
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

}  // namespace surety::worker
