// Evaluate: the worker's part of the loss on validation samples, and of the duality gap.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

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

[[nodiscard]] proto::Sums to_proto(const learn::Evaluation& evaluation);

// The indices of the samples of a range that belong to a split.
[[nodiscard]] std::vector<std::uint32_t> samples_of_split(const data::ChunkRange& range,
                                                          std::uint32_t split,
                                                          std::uint64_t split_seed);

}  // namespace surety::worker
