// One thing that `surety verify` has checked.
#pragma once

#include <optional>
#include <string>

namespace surety::cli {

struct Check {
  std::string what;
  std::optional<bool> passed;  // Unset if the data that it needs are missing.
  std::string found;
};

}  // namespace surety::cli
