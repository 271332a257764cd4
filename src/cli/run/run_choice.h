// Chooses the folder of a run if the user did not name one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace surety::cli {

// runs/NAME-N with the smallest N from 1 that is free.
[[nodiscard]] std::filesystem::path fresh_folder(const std::string& job_name);

// The newest folder under runs/ with a run that has not ended. If a name is given, only runs of the
// job with this name count. InvalidInput if there is no such folder.
[[nodiscard]] Result<std::filesystem::path> newest_unfinished_folder(
    const std::optional<std::string>& job_name);

}  // namespace surety::cli
