// Every key of a job file, with what to write and its default: tests compare the guide with it.
#pragma once

#include <string>
#include <vector>

namespace surety::job {

struct KeyInfo {
  std::string key;       // Dotted; "data.sets.N" stands for each data set.
  std::string expected;  // What to write.
  std::string fallback;  // "required", the default as a user would write it, or a few words.
};

// The keys have the order of the user guide.
[[nodiscard]] std::vector<KeyInfo> job_schema();

}  // namespace surety::job
