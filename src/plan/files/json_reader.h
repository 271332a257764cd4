// The part of json_fields.h that reads, strictly.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "plan/files/json_writer.h"

namespace surety::plan {

// Keeps the first error. Values that are read after an error have no meaning.
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

  // Must be called after the last field. Any other key is an error.
  void finish() {
    if (!error_.empty()) return;
    for (const auto& [key, value] : json_.items()) {
      if (!known_.contains(key)) {
        error_ = fmt::format("{}{}{}: unknown key", path_, path_.empty() ? "" : ".", excerpt(key));
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
      if (found == word.name) {
        value = word.value;
        return;
      }
      expected += (expected.empty() ? "" : ", ") + std::string(word.name);
    }
    error_ = fmt::format("{}: found {}, expected one of {}", path, excerpt(json.dump()), expected);
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
  std::set<std::string> known_;  // Filled by operator().
};

}  // namespace surety::plan
