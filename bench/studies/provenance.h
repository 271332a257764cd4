// Everything that recorded losses depend on, as in the first line of their file: "network=lenet5
// images=6000 data=0f3a...".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace surety::bench {

class Provenance {
 public:
  // Adds a key, or replaces its value.
  // REQUIRES: neither is empty or has spaces, control characters or '='.
  void put(std::string key, std::string value);
  // Returns null if there is no such key.
  [[nodiscard]] const std::string* find(std::string_view key) const;

  // Keys and values, in the order in which the keys were put.
  using Entries = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] const Entries& entries() const { return entries_; }

  // The text "key=value key=value", in the same order.
  [[nodiscard]] std::string text() const;
  // Reads such a text. InvalidInput, with `where` in front of the message, if it is malformed.
  [[nodiscard]] static Result<Provenance> parse(std::string_view where, std::string_view text);

 private:
  Entries entries_;  // Each key occurs once.
};

// Describes all differences, for a message: "batch: found 32, expected 64; momentum: found none,
// expected 0.9". Empty if there are none. The order of the keys does not matter.
[[nodiscard]] std::string differences(const Provenance& found, const Provenance& expected);

}  // namespace surety::bench
