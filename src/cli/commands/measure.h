// The check of `surety verify` that measures the certified metric again.
#pragma once

#include <filesystem>
#include <string_view>

#include "cli/commands/check.h"
#include "cli/run/read_run.h"

namespace surety::cli {

// A metric that cannot be measured here, for example because the data are elsewhere, is not
// compared. REQUIRES: the run has a certified result.
[[nodiscard]] Check check_metric(const std::filesystem::path& folder, const ReadRun& run);

// The same check, if the metric is not measured for this reason.
[[nodiscard]] Check metric_not_measured(std::string_view reason);

}  // namespace surety::cli
