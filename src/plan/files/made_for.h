// Which job a profile or a plan was made for: a record that both carry, so that neither is used for
// another job by accident.
//
// One entry per aspect: the key as in a job file, and a value that a person can read and a program
// can compare. The content of data, which is too long to be read, is a checksum. In a file:
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

// In a profile's folder, beside its tables.
inline constexpr std::string_view kMadeForFile = "made_for.json";

// The text of that file. REQUIRES: valid UTF-8.
[[nodiscard]] std::string to_json(const MadeFor& made_for);

// Strict: InvalidInput naming the key, what was found and what was expected.
[[nodiscard]] Result<MadeFor> made_for_from_json(std::string_view file, std::string_view text);

// InvalidInput with a line for each aspect in which `found` is not `job`, and what to do. Files may
// be renamed: data.NAME.source is compared nowhere, and said where the content differs.
//
// A plan is for one job and one promise.
[[nodiscard]] Result<void> check_plan_made_for(std::string_view file, const MadeFor& found,
                                               const MadeFor& job);
// A profile says how the model learns the data: node types, prices and the promise, but for its
// metric, may have changed since.
[[nodiscard]] Result<void> check_profile_made_for(std::string_view folder, const MadeFor& found,
                                                  const MadeFor& job);

}  // namespace surety::plan
