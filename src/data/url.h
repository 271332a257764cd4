// The URLs of data sources.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::data {

// The parts of a URL such as "idx:///data/images.gz?labels=...". Nothing is unescaped: a path ends
// at the first '?', the value of an option at the next '&'.
struct SourceUrl {
  std::string scheme;                          // idx, cifar10, libsvm, csv, npy, digits, synthetic
  std::string path;                            // Empty for generators.
  std::map<std::string, std::string> options;  // The part after '?': key=value&key=value.
  std::string text;                            // The URL as the user wrote it, for messages.
};

// InvalidInput, with the nearest known name, for an unknown scheme or option.
[[nodiscard]] Result<SourceUrl> parse_url(std::string_view text);

}  // namespace surety::data
