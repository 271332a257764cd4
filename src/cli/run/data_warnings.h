// What is likely to be wrong with the data of a job, although it can be trained on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/ledger/job_config.h"

namespace surety::cli {

// Lines for the user, before training starts: the curves would only show that the model does not
// learn. REQUIRES: this process has read the sources (data/sources/source_info.h, SourceHints).
[[nodiscard]] std::vector<std::string> data_warnings(const orchestrator::JobConfig& config);

// A warning if a model that ignores its input would reach `target`
// (orchestrator/stages/label_guess.h). REQUIRES as above.
[[nodiscard]] std::optional<std::string> warning_of_guess(const orchestrator::JobConfig& config,
                                                          double target);

}  // namespace surety::cli
