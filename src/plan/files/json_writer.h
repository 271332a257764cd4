// The part of json_fields.h that writes.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/names.h"

namespace surety::plan {

using Json = nlohmann::ordered_json;

template <typename Enum>
using Word = Named<Enum>;

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
      if (word.value == value) return std::string(word.name);
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

}  // namespace surety::plan
