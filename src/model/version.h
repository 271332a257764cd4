// Names of a model's versions: "full", or "prune:F" with the fraction F of channels removed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::model {

struct Version {
  double pruned = 0;  // Fraction of channels removed from each prunable layer; 0 is the full model.

  [[nodiscard]] bool full() const { return pruned == 0; }
  friend bool operator==(const Version&, const Version&) = default;
};

// Whether this is the name of the full model.
[[nodiscard]] bool is_full(std::string_view text);

// Accepts "full" and "prune:F" with 0 < F < 1; anything else is InvalidInput.
[[nodiscard]] Result<Version> parse_version(std::string_view text);

// The one canonical text, with the fewest digits: "prune:0.5" for "prune:.50".
// parse_version(to_text(v)) is v.
[[nodiscard]] std::string to_text(const Version& version);

}  // namespace surety::model
