// Points in time as text.
#pragma once

#include <string>

namespace surety::posix {

// "2026-11-27T03:31:44Z", from seconds of Unix time. Fractions of a second are cut off.
[[nodiscard]] std::string utc(double unix_s);

}  // namespace surety::posix
