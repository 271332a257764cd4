// The URLs of data sources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/names.h"
#include "base/result.h"

namespace surety::data {

enum class Scheme : std::uint8_t { kIdx, kCifar10, kLibsvm, kCsv, kNpy, kDigits, kSynthetic };

inline constexpr Names<Scheme, 7> kSchemeNames = {{{Scheme::kIdx, "idx"},
                                                   {Scheme::kCifar10, "cifar10"},
                                                   {Scheme::kLibsvm, "libsvm"},
                                                   {Scheme::kCsv, "csv"},
                                                   {Scheme::kNpy, "npy"},
                                                   {Scheme::kDigits, "digits"},
                                                   {Scheme::kSynthetic, "synthetic"}}};

// The parts of a URL such as "idx:///data/images.gz?labels=...". Nothing is unescaped: a path ends
// at the first '?', the value of an option at the next '&'.
struct SourceUrl {
  Scheme scheme = Scheme::kIdx;
  std::string path;                            // Empty for generators.
  std::map<std::string, std::string> options;  // The part after '?': key=value&key=value.
  std::string text;                            // The URL as the user wrote it, for messages.
};

// The URL that was probably meant by this text without a scheme, or nothing: the ending of a file
// often shows its format.
[[nodiscard]] std::optional<std::string> url_meant_by(std::string_view text);

// InvalidInput, with the nearest known name, for an unknown scheme or option.
[[nodiscard]] Result<SourceUrl> parse_url(std::string_view text);

}  // namespace surety::data
