// The ways in which a worker leaves a run, and their names in journals.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"

namespace surety::orchestrator {

enum class Gone : std::uint8_t {
  kLeft,  // It handed its chunks over, or had none.
  kLost,
};

inline constexpr Names<Gone, 2> kGoneNames = {{{Gone::kLeft, "leave"}, {Gone::kLost, "lost"}}};

[[nodiscard]] inline std::string_view name_of(Gone gone) { return name_in(kGoneNames, gone); }

}  // namespace surety::orchestrator
