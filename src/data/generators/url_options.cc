#include "data/generators/url_options.h"

#include "base/text.h"
#include "base/units.h"
#include "data/text.h"

namespace surety::data {

Result<void> take_uint(const SourceUrl& url, const char* key, std::uint64_t low, std::uint64_t high,
                       std::uint64_t& value) {
  const auto option = url.options.find(key);
  if (option == url.options.end()) return {};
  if (parse_uint(option->second, value) && value >= low && value <= high) return {};
  return fail(ErrorCode::kInvalidInput, "{}: option {}: found {}, expected a number from {} to {}",
              excerpt(url.text), key, quoted(option->second), low, high);
}

Result<void> take_share(const SourceUrl& url, const char* key, double& value) {
  const auto option = url.options.find(key);
  if (option == url.options.end()) return {};
  const auto number = parse_number(option->second);
  if (!number || *number < 0 || *number > 1) {
    return fail(ErrorCode::kInvalidInput, "{}: option {}: found {}, expected a number from 0 to 1",
                excerpt(url.text), key, quoted(option->second));
  }
  value = *number;
  return {};
}

}  // namespace surety::data
