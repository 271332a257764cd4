// Options of a source's URL that are numbers, for generators.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/reader.h"

namespace surety::data {

// Each leaves `value` as it is where the URL has no such option. InvalidInput, with URL, key, found
// and expected, for what is no number or out of range.
[[nodiscard]] Result<void> take_uint(const SourceUrl& url, const char* key, std::uint64_t low,
                                     std::uint64_t high, std::uint64_t& value);
[[nodiscard]] Result<void> take_share(const SourceUrl& url, const char* key,
                                      double& value);  // 0..1

}  // namespace surety::data
