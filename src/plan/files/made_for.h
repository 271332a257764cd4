// The job for which a profile or a plan was made. Both contain this record, so that neither is used
// for another job by accident.
//
// There is one entry for each aspect: the key as in a job file, and a value that a person can read
// and a program can compare. The content of data is too long for this, so its value is a checksum.
// In a file:
//
//   "made_for": {"data.digits.samples": "8000", "train.learning_rate": "0.02", ...}
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::plan {

struct MadeFor {
  std::map<std::string, std::string> aspects;

  friend bool operator==(const MadeFor&, const MadeFor&) = default;
};

// Errors: InvalidInput, with a line for each aspect in which `found` differs from `job`, and what
// to do. Files may be renamed: data.NAME.source is never compared, but it is listed if the content
// differs.
//
// A plan is for one job and one promise.
[[nodiscard]] Result<void> check_plan_made_for(std::string_view file, const MadeFor& found,
                                               const MadeFor& job);
// A profile describes how the model learns the data. Node types, prices and the promise, except for
// its metric, may have changed.
[[nodiscard]] Result<void> check_profile_made_for(std::string_view folder, const MadeFor& found,
                                                  const MadeFor& job);

}  // namespace surety::plan
