#include "base/json/parse_json.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"

namespace surety {
namespace {

// The line that contains the byte with this number. Lines and bytes are numbered from 1.
std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

// Brackets and braces in quoted texts do not nest.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kJsonDepthMax) return true;
  }
  return false;
}

}  // namespace

template <typename Json>
Result<Json> parse_json(std::string_view text) {
  if (is_too_deep(text)) {
    return fail(ErrorCode::kInvalidInput,
                "found arrays and objects that nest deeper than {} levels", kJsonDepthMax);
  }
  using Event = typename Json::parse_event_t;
  std::vector<std::set<std::string>> open;  // Keys of the open objects, the outermost object first.
  std::optional<std::string> twice;
  const auto note = [&](int, Event event, Json& parsed) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key) {
      const std::string key = parsed.template get<std::string>();
      if (!open.back().insert(key).second) twice = key;
    }
    return true;
  };
  try {
    Json parsed = Json::parse(text, note);
    if (!twice) return parsed;
  } catch (const typename Json::parse_error& error) {
    return fail(ErrorCode::kInvalidInput, "line {}: found text that is not JSON",
                line_of(text, error.byte));
  } catch (const typename Json::exception&) {
    return fail(ErrorCode::kInvalidInput, "found a number that is too large");
  }
  return fail(ErrorCode::kInvalidInput, "{}: found twice in one object, expected once",
              excerpt(*twice));
}

template Result<nlohmann::json> parse_json<nlohmann::json>(std::string_view text);
template Result<nlohmann::ordered_json> parse_json<nlohmann::ordered_json>(std::string_view text);

}  // namespace surety
