// The program's version, as CMakeLists.txt has it.
#pragma once

namespace surety::runtime {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace surety::runtime
