// Numeric options of a source's URL, for generators.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/url.h"

namespace surety::data {

// Sets `value` to this option; without the option, `value` does not change. InvalidInput, with URL,
// key, found and expected, if the option is not a number or is out of range.
[[nodiscard]] Result<void> take_uint(const SourceUrl& url, const char* key, std::uint64_t low,
                                     std::uint64_t high, std::uint64_t& value);
[[nodiscard]] Result<void> take_share(const SourceUrl& url, const char* key,
                                      double& value);  // The range is 0..1.

}  // namespace surety::data
