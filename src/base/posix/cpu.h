// Properties of this machine: cores, instruction sets, name.
#pragma once

#include <string>

namespace surety::posix {

// Cores that this process may use: its affinity, limited by its control group's quota, rounded up.
// There is at least 1.
[[nodiscard]] int usable_cores();

// False on all processors except x86.
[[nodiscard]] bool has_avx512f();
[[nodiscard]] bool has_avx2();

[[nodiscard]] std::string host_name();

}  // namespace surety::posix
