// Measures the certified metric of a run again, from the certified checkpoint and the data, without
// its workers and without their results.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "certificate/certificate.h"
#include "cli/run/read_run.h"
#include "job/job.h"
#include "learn/task.h"

namespace surety::cli {

// The program whose command `measure` calls measure_again() for such a job: networks need libtorch.
[[nodiscard]] std::filesystem::path measuring_program(const job::Job& job);

// The record of the certified checkpoint, with the paths of its files in the run's present folder.
// REQUIRES: the run has a certified result.
[[nodiscard]] Result<proto::CheckpointCommitted> certified_checkpoint(
    const std::filesystem::path& folder, const ReadRun& run);

// The model of this checkpoint. Corrupt: its file is missing, or is not the one that was saved.
[[nodiscard]] Result<learn::Model> certified_model(const proto::CheckpointCommitted& checkpoint);

// Reads all samples of the metric. `factory` makes a task for the run's model. The values are not
// numbers if the model's are not, or if no dual variables prove the gap. InvalidInput: data are
// missing or have changed. Corrupt: files of the certified checkpoint are missing or damaged.
// REQUIRES: the run has a certified result.
[[nodiscard]] Result<certificate::MetricValues> measure_again(const std::filesystem::path& folder,
                                                              const ReadRun& run,
                                                              const learn::TaskFactory& factory);

}  // namespace surety::cli
