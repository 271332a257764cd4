// What is likely to be wrong with the data of a job, although it can be trained on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/ledger/job_config.h"

namespace surety::cli {

// Sentences for the user, before training starts: the curves would only show that the model does
// not learn. They contain names of columns and files, so they are made plain (base/text.h,
// plain_text()). REQUIRES: this process has read the sources (data/sources/source_info.h,
// SourceHints).
[[nodiscard]] std::vector<std::string> data_warnings(const orchestrator::JobConfig& config);

}  // namespace surety::cli
