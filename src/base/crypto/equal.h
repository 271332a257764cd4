// A comparison of secrets that reveals nothing by its time.
#pragma once

#include <string_view>

namespace surety::crypto {

// Whether both are the same. The time depends only on their sizes, so it does not reveal where they
// differ. O(size).
[[nodiscard]] bool equal(std::string_view a, std::string_view b);

}  // namespace surety::crypto
