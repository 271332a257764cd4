// Chooses the folder of a run if the user did not name one.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace surety::cli {

// runs/NAME-N with the smallest N from 1 that is free.
[[nodiscard]] std::filesystem::path fresh_folder(const std::string& job_name);

// The newest folder under runs/ whose journal has no end. InvalidInput if there is none.
[[nodiscard]] Result<std::filesystem::path> newest_unfinished_folder();

}  // namespace surety::cli
