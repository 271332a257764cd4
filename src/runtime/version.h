// The version of the program and the commit that it was built from. cmake/version.cmake writes the
// values: the version is that of project() in CMakeLists.txt.
#pragma once

#include <string>

namespace surety::runtime {

extern const char* const kVersion;  // "0.1.0"
// "a47e619b3a8a"; "a47e619b3a8a, with changes" if the sources differ from that commit; "unknown" if
// they are not a git checkout.
extern const char* const kCommit;

// Version and commit in one text, which workers and coordinators compare, because the messages
// between them may change with every commit.
[[nodiscard]] inline std::string build_name() {
  return std::string(kVersion) + ", commit " + kCommit;
}

}  // namespace surety::runtime
