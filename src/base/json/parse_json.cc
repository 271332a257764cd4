#include "base/json/parse_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
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

void put(nlohmann::json::object_t& object, std::string key, nlohmann::json value) {
  object.emplace(std::move(key), std::move(value));
}

// The key is a new one, so it need not be looked for.
void put(nlohmann::ordered_json::object_t& object, std::string key, nlohmann::ordered_json value) {
  object.emplace_back(std::move(key), std::move(value));
}

// The receiver of a SAX parser, which builds the value. The builders of the library compare each
// key of an nlohmann::ordered_json with all earlier ones of its object, and with a callback they
// look through a whole list after each of its objects. Both would take quadratic time.
template <typename Json>
class Builder {
 public:
  bool null() { return add(Json(nullptr)); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(typename Json::number_integer_t value) { return add(Json(value)); }
  bool number_unsigned(typename Json::number_unsigned_t value) { return add(Json(value)); }
  bool number_float(typename Json::number_float_t value, const std::string&) {
    return add(Json(value));
  }
  bool string(std::string& value) { return add(Json(std::move(value))); }
  bool binary(typename Json::binary_t&) { return false; }  // JSON as text has no such values.
  bool start_object(std::size_t) { return open(Json(Json::value_t::object)); }
  bool start_array(std::size_t) { return open(Json(Json::value_t::array)); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& key) {
    Open& object = open_.back();
    object.key = key;
    if (object.keys.insert(std::move(key)).second) return true;
    refusal_ = fmt::format("{}: found twice in one object, expected once", excerpt(object.key));
    return false;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) {
    // The library reports nothing else with this class than a number that is not finite.
    const bool is_too_large =
        dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr;
    refusal_ = is_too_large
                   ? "found a number that is too large"
                   : fmt::format("line {}: found text that is not JSON", line_of(text_, byte));
    return false;
  }

  explicit Builder(std::string_view text) : text_(text) {}
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] Json& value() { return value_; }

 private:
  // An object or a list whose end was not read yet.
  struct Open {
    Json value;
    std::string key{};  // The key of the next value.
    std::set<std::string> keys{};
  };

  bool open(Json value) {
    open_.push_back({.value = std::move(value)});
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (open_.empty()) {
      value_ = std::move(value);
    } else if (Open& in = open_.back(); in.value.is_array()) {
      in.value.push_back(std::move(value));
    } else {
      put(in.value.template get_ref<typename Json::object_t&>(), std::move(in.key),
          std::move(value));
    }
    return true;
  }

  std::string_view text_;
  std::vector<Open> open_{};  // The outermost comes first.
  Json value_{};
  std::string refusal_{};
};

}  // namespace

template <typename Json>
Result<Json> parse_json(std::string_view text) {
  if (is_too_deep(text)) {
    return fail(ErrorCode::kInvalidInput,
                "found arrays and objects that nest deeper than {} levels", kJsonDepthMax);
  }
  Builder<Json> builder(text);
  if (Json::sax_parse(text, &builder)) return std::move(builder.value());
  return fail(ErrorCode::kInvalidInput, "{}", builder.refusal());
}

template Result<nlohmann::json> parse_json<nlohmann::json>(std::string_view text);
template Result<nlohmann::ordered_json> parse_json<nlohmann::ordered_json>(std::string_view text);

}  // namespace surety
