// What recorded losses depend on, as the first line of their file says it: "network=lenet5
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
  // Null where there is no such key.
  [[nodiscard]] const std::string* find(std::string_view key) const;

  // Key and value, in the order in which the keys were put.
  using Entries = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] const Entries& entries() const { return entries_; }

  // "key=value key=value", in that order.
  [[nodiscard]] std::string text() const;
  // InvalidInput, after `where`, for a text that is none.
  [[nodiscard]] static Result<Provenance> parse(std::string_view where, std::string_view text);

 private:
  Entries entries_;  // Each key once.
};

// What differs, for a message: "batch: found 32, expected 64; momentum: found none, expected 0.9".
// Empty where nothing does. The order of the keys does not matter.
[[nodiscard]] std::string differences(const Provenance& found, const Provenance& expected);

}  // namespace surety::bench
