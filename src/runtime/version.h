// Which version of the program this is, and from which commit it was built. cmake/version.cmake
// writes the values: the version is that of project() in CMakeLists.txt.
#pragma once

namespace surety::runtime {

extern const char* const kVersion;  // "0.1.0"
// "a47e619b3a8a"; "a47e619b3a8a, with changes" where the sources are not those of that commit;
// "unknown" where they are no git checkout.
extern const char* const kCommit;

}  // namespace surety::runtime
