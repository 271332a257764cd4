// Reads a job file (YAML) with overrides, and refuses everything that it does not know.
//
// Every key has a default, or is required and has a message that says what to write. An unknown key
// is an error that names the nearest known key. Every error names file, line and key, what was
// found and what was expected:
//   job.yaml:7: promise.probability: found 1, expected a number between 0 and 1 (both excluded):
//   no finite profile can support certainty; try 0.95
// Pure: text in, job out. The code that opens files checks whether they exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "job/job.h"

namespace surety::job {

// One `--set key=value`: a dotted key and a YAML value. An index selects from a list:
// data.0.source. `data.root` is the folder that relative paths in source URLs start from.
struct Override {
  std::string key;
  std::string value;
};
[[nodiscard]] Result<Override> parse_override(std::string_view text);

// `now_unix_s` decides whether a deadline given as a point in time has passed.
[[nodiscard]] Result<Job> parse_job(std::string_view file_name, std::string_view text,
                                    const std::vector<Override>& overrides, double now_unix_s);

}  // namespace surety::job
