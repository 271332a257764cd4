#include "model/feature_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace surety::model {
namespace {

constexpr const char* kKey = "feature_names";

}  // namespace

void add_feature_names(const std::vector<std::string>& names,
                       std::map<std::string, std::string>& metadata) {
  if (!names.empty()) metadata[kKey] = fmt::format("{}", fmt::join(names, "\n"));
}

Result<std::vector<std::string>> feature_names_of(const Safetensors& read, std::string_view file,
                                                  std::uint64_t features) {
  std::vector<std::string> names;
  const auto entry = read.metadata.find(kKey);
  if (entry == read.metadata.end()) return names;
  std::string_view rest = entry->second;
  const auto found = static_cast<std::uint64_t>(std::ranges::count(rest, '\n')) + 1;
  if (found != features) {
    return fail(ErrorCode::kInvalidInput, "{}: {}: found {} names, expected {}, one per feature",
                file, kKey, found, features);
  }
  std::set<std::string_view> different;
  while (names.size() < features) {
    const std::string_view name = rest.substr(0, rest.find('\n'));
    if (!different.insert(name).second) {
      return fail(ErrorCode::kInvalidInput, "{}: {}: found \"{}\" twice, expected different names",
                  file, kKey, plain_text(name, kMessageBytesMax));
    }
    names.emplace_back(name);
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return names;
}

}  // namespace surety::model
