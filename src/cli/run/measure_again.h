// Measures the certified metric of a run again, from the certified checkpoint and the data, without
// its workers and without their results.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/run/model_evaluator.h"
#include "cli/run/read_run.h"
#include "job/job.h"
#include "learn/task.h"

namespace surety::cli {

// The program whose command `measure` calls measure_again() for such a job: networks need libtorch.
[[nodiscard]] std::filesystem::path measuring_program(const job::Job& job);

// The record of the certified checkpoint, with the paths of its files in the run's present folder.
// Corrupt if the journal has no record of it. REQUIRES: the run has a certified result.
[[nodiscard]] Result<proto::CheckpointCommitted> certified_checkpoint(
    const std::filesystem::path& folder, const ReadRun& run);

// The model of this checkpoint. Corrupt: its file is missing, or is not the one that was saved.
// Other errors are those of read_saved_file() and parse_model().
[[nodiscard]] Result<learn::Model> certified_model(const proto::CheckpointCommitted& checkpoint);

// Measures the certified checkpoint (cli/run/model_evaluator.h). `factory` makes a task for the
// run's model. InvalidInput or Unavailable: the data cannot be read or have changed, or the journal
// does not describe the checkpoint. Corrupt: a file of the checkpoint is missing or damaged.
// REQUIRES: the run has a certified result.
[[nodiscard]] Result<ModelMeasurement> measure_again(const std::filesystem::path& folder,
                                                     const ReadRun& run,
                                                     const learn::TaskFactory& factory);

}  // namespace surety::cli
