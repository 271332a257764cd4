// Measures the certified metric of a run again, from the certified checkpoint and the data, without
// its workers and without their results.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "certificate/certificate.h"
#include "cli/run/read_run.h"
#include "learn/task.h"
#include "plan/promise.h"

namespace surety::cli {

struct MeasuredAgain {
  double value = 0;  // In the user's terms: loss, accuracy or gap.
  double se = 0;     // Standard error; 0 for the gap.
  std::uint64_t samples = 0;
};

// The record of the certified checkpoint, with the paths of its files in the run's present folder.
// REQUIRES: the run has a certified result.
[[nodiscard]] Result<proto::CheckpointCommitted> certified_checkpoint(
    const std::filesystem::path& folder, const ReadRun& run);

// Reads all samples of the metric. `factory` makes a task for the run's model. InvalidInput or
// Corrupt: data or files are missing or damaged. REQUIRES: the run has a certified result.
[[nodiscard]] Result<MeasuredAgain> measure_again(const std::filesystem::path& folder,
                                                  const ReadRun& run,
                                                  const learn::TaskFactory& factory);

// Whether both can be measurements of the same model on the same samples. They may differ a little,
// because sums have another order, and other machines round differently.
[[nodiscard]] bool agree(const MeasuredAgain& again, const certificate::Certified& certified,
                         plan::Metric metric);

}  // namespace surety::cli
