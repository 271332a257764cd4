// One description of a struct's fields serves for writing it as JSON and for reading it strictly.
//
//   template <typename Io> void fields(Io& io, Block& block) { io("version", block.version); ... }
//
// An enum is written as a word:
//
//   constexpr std::array<Word<Shape>, 2> words_of(Shape) { return {{{Shape::kPower, "power"}, ...
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace surety::plan {

using Json = nlohmann::ordered_json;

template <typename Enum>
struct Word {
  Enum value;
  const char* word;
};

class JsonWriter {
 public:
  template <typename T>
  void operator()(const char* key, T& value) {
    json_[key] = write(value);
  }

  [[nodiscard]] static Json write(std::string& value) { return value; }
  [[nodiscard]] static Json write(bool value) { return value; }
  [[nodiscard]] static Json write(std::uint32_t value) { return value; }
  [[nodiscard]] static Json write(std::uint64_t value) { return value; }
  [[nodiscard]] static Json write(double value) {
    SURETY_CHECK(std::isfinite(value));
    return value;
  }
  template <typename T>
  requires std::is_enum_v<T>
  [[nodiscard]] static Json write(T value) {
    for (const Word<T>& word : words_of(value)) {
      if (word.value == value) return word.word;
    }
    SURETY_CHECK(false);
    return {};
  }
  template <typename T>
  [[nodiscard]] static Json write(std::optional<T>& value) {
    return value ? write(*value) : Json(nullptr);
  }
  template <typename T>
  [[nodiscard]] static Json write(std::vector<T>& values) {
    Json list = Json::array();
    for (T& value : values) list.push_back(write(value));
    return list;
  }
  template <typename T>
  requires std::is_class_v<T>
  [[nodiscard]] static Json write(T& value) {
    JsonWriter writer;
    fields(writer, value);
    return std::move(writer.json_);
  }

 private:
  Json json_ = Json::object();
};

// Keeps the first error; what is read after it means nothing.
class JsonReader {
 public:
  JsonReader(const Json& json, std::string path, std::string& error)
      : json_(json), path_(std::move(path)), error_(error) {
    if (!json.is_object()) refuse(path_, json, "an object");
  }

  template <typename T>
  void operator()(const char* key, T& value) {
    if (!error_.empty()) return;
    known_.insert(key);
    const std::string path = path_.empty() ? key : path_ + "." + key;
    const auto it = json_.find(key);
    if (it == json_.end()) {
      error_ = fmt::format("{}: is missing", path);
      return;
    }
    read(*it, path, value);
  }

  // After the last field: whatever else is there is a mistake.
  void finish() {
    if (!error_.empty()) return;
    for (const auto& [key, value] : json_.items()) {
      if (!known_.contains(key)) {
        error_ = fmt::format("{}{}{}: unknown key", path_, path_.empty() ? "" : ".", key);
        return;
      }
    }
  }

 private:
  void refuse(const std::string& path, const Json& found, const char* expected) {
    error_ = fmt::format("{}: found {}, expected {}", path.empty() ? "document" : path,
                         found.type_name(), expected);
  }

  void read(const Json& json, const std::string& path, std::string& value) {
    if (!json.is_string()) return refuse(path, json, "a string");
    value = json.get<std::string>();
  }
  void read(const Json& json, const std::string& path, bool& value) {
    if (!json.is_boolean()) return refuse(path, json, "true or false");
    value = json.get<bool>();
  }
  void read(const Json& json, const std::string& path, double& value) {
    if (!json.is_number()) return refuse(path, json, "a number");
    value = json.get<double>();
  }
  void read(const Json& json, const std::string& path, std::uint32_t& value) {
    static constexpr const char* kExpected = "a count from 0 to 4294967295";
    if (!json.is_number_unsigned() ||
        json.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
      return refuse(path, json, kExpected);
    }
    value = json.get<std::uint32_t>();
  }
  void read(const Json& json, const std::string& path, std::uint64_t& value) {
    if (!json.is_number_unsigned()) return refuse(path, json, "a count");
    value = json.get<std::uint64_t>();
  }
  template <typename T>
  requires std::is_enum_v<T>
  void read(const Json& json, const std::string& path, T& value) {
    if (!json.is_string()) return refuse(path, json, "a word");
    const auto& found = json.get_ref<const std::string&>();
    std::string expected;
    for (const Word<T>& word : words_of(T())) {
      if (found == word.word) {
        value = word.value;
        return;
      }
      expected += (expected.empty() ? "" : ", ") + std::string(word.word);
    }
    error_ = fmt::format("{}: found {}, expected one of {}", path, json.dump(), expected);
  }
  template <typename T>
  void read(const Json& json, const std::string& path, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) read(json, path, value.emplace());
  }
  template <typename T>
  void read(const Json& json, const std::string& path, std::vector<T>& values) {
    if (!json.is_array()) return refuse(path, json, "a list");
    values.clear();
    for (std::size_t i = 0; i < json.size() && error_.empty(); ++i) {
      read(json[i], fmt::format("{}[{}]", path, i), values.emplace_back());
    }
  }
  template <typename T>
  requires std::is_class_v<T>
  void read(const Json& json, const std::string& path, T& value) {
    JsonReader reader(json, path, error_);
    if (!error_.empty()) return;
    fields(reader, value);
    reader.finish();
  }

  const Json& json_;
  std::string path_;
  std::string& error_;
  std::set<std::string> known_;  // operator() adds.
};

}  // namespace surety::plan
