// Reads a job file (YAML) with overrides, and refuses what it does not understand.
//
// Every key has a default or is required with a message that says what to write; an unknown key is
// an error with the nearest known one; every error names file, line and key, what was found and
// what was expected:
//   job.yaml:7: promise.probability: found 1, expected a number between 0 and 1 (both excluded):
//   no finite profile can support certainty; try 0.95
// Pure: text in, job out; whether files exist is checked by who opens them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "orchestrator/job.h"

namespace surety::orchestrator {

// One `--set key=value`: dotted key, YAML value. Lists: data.0.source. `data.root` is the folder
// that relative paths in source URLs are taken from.
struct Override {
  std::string key, value;
};
[[nodiscard]] Result<Override> parse_override(std::string_view text);

// `now_unix_s` decides whether a deadline given as a point in time has passed.
[[nodiscard]] Result<Job> parse_job(std::string_view file_name, std::string_view text,
                                    const std::vector<Override>& overrides, double now_unix_s);

}  // namespace surety::orchestrator
