// The summary that a user of linear models gets at the end of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "job/job.h"
#include "learn/linear/model/linear_model.h"
#include "orchestrator/history/run_state.h"
#include "orchestrator/job/job_machine.h"

namespace surety::cli {

// Lines with the objective, duality gap and accuracy of the certified model, the number of weights
// that an L1 norm left, the time of a pass, and the model's files. Empty for a network, and if
// nothing was certified. Reads the validation data once; if that fails, their accuracy is left out.
[[nodiscard]] std::string linear_summary(const orchestrator::RunState& state,
                                         const orchestrator::JobConfig& config,
                                         const std::filesystem::path& run);

// What the numbers of the log are, for a job that promises the loss of a regression; otherwise
// none.
[[nodiscard]] std::optional<std::string> loss_remark(const job::Job& job);

// The text is "accuracy 0.9312 (3725 of 4000)", or "mean squared error 0.1234; loss 0.0617, which
// is half of it (4000 samples)". A job promises this loss.
[[nodiscard]] std::string score_text(bool classifies, const learn::PredictionScore& sums);

}  // namespace surety::cli
