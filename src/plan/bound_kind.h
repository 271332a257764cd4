// The two lower bounds of a plan's probability, and their names in plan.json and in texts.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"

namespace surety::plan {

enum class BoundKind : std::uint8_t {
  kPercentileMargin,  // Holds if the laws have the right shape.
  kLearnThenTest,     // Holds for any laws.
};

inline constexpr Names<BoundKind, 2> kBoundKindNames = {
    {{BoundKind::kPercentileMargin, "percentile margin"},
     {BoundKind::kLearnThenTest, "learn then test"}}};

[[nodiscard]] inline std::string_view name_of(BoundKind kind) {
  return name_in(kBoundKindNames, kind);
}

}  // namespace surety::plan
