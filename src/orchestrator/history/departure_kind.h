// The ways in which a worker leaves a run, and their names in journals.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"

namespace surety::orchestrator {

enum class DepartureKind : std::uint8_t {
  kLeft,  // It handed its chunks over, or had none.
  kLost,
};

inline constexpr Names<DepartureKind, 2> kDepartureKindNames = {
    {{DepartureKind::kLeft, "leave"}, {DepartureKind::kLost, "lost"}}};

[[nodiscard]] inline std::string_view name_of(DepartureKind kind) {
  return name_in(kDepartureKindNames, kind);
}

}  // namespace surety::orchestrator
