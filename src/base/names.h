// The names of an enum's values in files and messages: one table serves to write a value and to
// read it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"

namespace surety {

template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

// Each value is in the table once, and no two have the same name.
template <typename Enum, std::size_t n>
using Names = std::array<Named<Enum>, n>;

// REQUIRES: the table has the value.
template <typename Enum, std::size_t n>
[[nodiscard]] std::string_view name_in(const Names<Enum, n>& names, Enum value) {
  for (const Named<Enum>& one : names) {
    if (one.value == value) return one.name;
  }
  SURETY_CHECK(false);
  return {};
}

template <typename Enum, std::size_t n>
[[nodiscard]] std::optional<Enum> value_named(const Names<Enum, n>& names, std::string_view name) {
  for (const Named<Enum>& one : names) {
    if (one.name == name) return one.value;
  }
  return std::nullopt;
}

// All names of the table, for an error message: "run, profile or train".
template <typename Enum, std::size_t n>
[[nodiscard]] std::string expected_names(const Names<Enum, n>& names) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) text += i + 1 == n ? " or " : ", ";
    text += names[i].name;
  }
  return text;
}

}  // namespace surety
