// Writes structs as JSON and reads them back, by one description of their fields:
//
//   template <typename Archive, Is<Point> T>
//   void describe(Archive& archive, T& point) { archive("x_m", point.x); archive("y_m", point.y); }
//
// So reading and writing cannot differ. Reading is strict: every key that is not optional must be
// present exactly once and have its type, and no other key may be present. The first refusal is
// kept and the rest is ignored.
//
// A description must be in this namespace, where both archives find it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::certificate::json {

template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

class Writer {
 public:
  static constexpr bool kReads = false;
  using Json = nlohmann::ordered_json;

  template <typename T>
  void operator()(const char* key, const T& value) {
    object_[key] = json_of(value);
  }
  // A list that may be missing; an empty list is left out.
  template <typename T>
  void optional(const char* key, const std::vector<T>& values) {
    if (!values.empty()) (*this)(key, values);
  }
  // A value that may be missing.
  template <typename T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  [[nodiscard]] const Json& object() const { return object_; }

 private:
  [[nodiscard]] static Json json_of(double value);
  [[nodiscard]] static Json json_of(const std::string& value) { return value; }
  [[nodiscard]] static Json json_of(bool value) { return value; }
  [[nodiscard]] static Json json_of(std::uint32_t value) { return value; }
  [[nodiscard]] static Json json_of(std::uint64_t value) { return value; }
  [[nodiscard]] static Json json_of(const std::map<std::string, std::string>& value);
  template <typename T>
  [[nodiscard]] static Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  template <typename T>
  [[nodiscard]] static Json json_of(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(json_of(value));
    return list;
  }
  template <typename T>
  [[nodiscard]] static Json json_of(const T& value) {
    Writer inner;
    describe(inner, value);
    return inner.object_;
  }

  Json object_ = Json::object();
};

class Reader {
 public:
  static constexpr bool kReads = true;
  using Json = nlohmann::json;

  // Both must outlive the reader. `refusal` is empty until something is refused.
  Reader(const Json& object, std::string path, std::string& refusal);

  template <typename T>
  void operator()(const char* key, T& out) {
    if (const Json* value = take(key)) read(*value, path_of(key), out);
  }
  template <typename T>
  void optional(const char* key, T& out) {
    if (object_.is_object() && object_.contains(key)) (*this)(key, out);
  }
  // Refuses the value at `key`.
  void refuse(std::string_view key, std::string_view found, std::string_view expected);
  // Refuses the keys that no field has read. Call it once, after all fields.
  void finish();

 private:
  [[nodiscard]] const Json* take(const char* key);
  [[nodiscard]] std::string path_of(std::string_view key) const;
  void refuse_at(const std::string& path, const Json& value, std::string_view expected);

  void read(const Json& value, const std::string& path, double& out);
  void read(const Json& value, const std::string& path, bool& out);
  void read(const Json& value, const std::string& path, std::string& out);
  void read(const Json& value, const std::string& path, std::uint32_t& out);
  void read(const Json& value, const std::string& path, std::uint64_t& out);
  void read(const Json& value, const std::string& path, std::map<std::string, std::string>& out);
  template <typename T>
  void read(const Json& value, const std::string& path, std::optional<T>& out) {
    out.reset();
    if (!value.is_null()) read(value, path, out.emplace());
  }
  template <typename T>
  void read(const Json& value, const std::string& path, std::vector<T>& out) {
    if (!value.is_array()) return refuse_at(path, value, "a list");
    out.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
      read(value[i], fmt::format("{}[{}]", path, i), out.emplace_back());
    }
  }
  template <typename T>
  void read(const Json& value, const std::string& path, T& out) {
    Reader inner(value, path, refusal_);
    describe(inner, out);
    inner.finish();
  }

  const Json& object_;
  std::string path_;
  std::string& refusal_;
  std::vector<std::string> taken_;
};

// Parses text as JSON; every key may occur at most once in its object. InvalidInput says where the
// text is not JSON. A text of more than `bytes_max` bytes is refused unread.
[[nodiscard]] Result<Reader::Json> parse(std::string_view text, std::size_t bytes_max);

}  // namespace surety::certificate::json
