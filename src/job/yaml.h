// A YAML document as plain values that remember where they were written, so that an error about a
// value can name its line or its --set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surety::job::yaml {

struct Place {
  std::optional<int> line{};                // Number from 1, if it is in the text.
  std::optional<std::string> overridden{};  // The key of the --set that wrote it.
};

enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

struct Node {
  Kind kind = Kind::kNull;
  std::string text;  // The value of a kScalar, as written without quotes.
  // The keys of a kMap: one per child, each once, in the order written.
  std::vector<std::string> keys;
  std::vector<Node> children;  // The elements of a kList, or the values of a kMap.
  Place place;                 // The place of its key, if it has one.

  // The value of a key; nullptr if this is no map or has no such key.
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  // Adds or replaces a key. REQUIRES: kMap.
  void put(std::string key, Node value);
};

[[nodiscard]] Node scalar(std::string text, Place place = {});

// Text for messages: "file:7", "--set key" if an override wrote it, or "file".
[[nodiscard]] std::string where(const Place& place, std::string_view file);

// The value in words for a person: its text, "nothing", "[1, 2]", "a mapping".
[[nodiscard]] std::string found(const Node& node);

// ENSURES: parse() (yaml_parse.h) of the result gives the same tree, except for places.
[[nodiscard]] std::string write(const Node& node);

}  // namespace surety::job::yaml
