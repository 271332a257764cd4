// A YAML document as plain values that remember where they were written, so that an error about a
// value can name its line, or the --set that it came from.
//
// Stricter than YAML: a key must be a scalar and may come once, there is one document, no aliases
// (so a small text cannot become a large tree) and no tags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::orchestrator::yaml {

struct Place {
  int line = 0;            // From 1; 0: nowhere in the text.
  std::string overridden;  // The key of the --set that wrote it; empty: the text did.
};

enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

struct Node {
  Kind kind = Kind::kNull;
  std::string text;               // kScalar, as written without quotes.
  std::vector<std::string> keys;  // kMap: one per child, each once, in the order written.
  std::vector<Node> children;     // kList, kMap.
  Place place;                    // Of its key, where it has one.

  // The value of a key; nullptr where this is no map or has no such key.
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  // Adds or replaces a key. REQUIRES: kMap.
  void put(std::string key, Node value);
};

[[nodiscard]] Node scalar(std::string text, Place place = {});

// For messages: "file:7", or "--set key" where an override wrote it, or "file".
[[nodiscard]] std::string where(const Place& place, std::string_view file);

// What a person would call the value: its text, "nothing", "[1, 2]", "a mapping".
[[nodiscard]] std::string found(const Node& node);

// InvalidInput with `file` and line. Text over 1 MiB is refused.
[[nodiscard]] Result<Node> parse(std::string_view file, std::string_view text);

// Writes `value` (YAML) at a dotted path; lists by index from 0, where the next free index appends.
// Maps that are missing on the way are made. Every place in the value becomes `--set key`: the path
// as the user wrote it.
[[nodiscard]] Result<void> set(Node& root, std::string_view path, std::string_view key,
                               std::string_view value);

// ENSURES: parse() of it gives the same tree, places apart.
[[nodiscard]] std::string write(const Node& node);

}  // namespace surety::orchestrator::yaml
