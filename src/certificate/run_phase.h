// The phases of a run, and their names in journals, in certificates and for the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/names.h"

namespace surety::certificate {

enum class RunPhase : std::uint8_t { kGather, kProfile, kPlan, kTrain, kCertify };

inline constexpr Names<RunPhase, 5> kRunPhaseNames = {{{RunPhase::kGather, "gather"},
                                                       {RunPhase::kProfile, "profile"},
                                                       {RunPhase::kPlan, "plan"},
                                                       {RunPhase::kTrain, "train"},
                                                       {RunPhase::kCertify, "certify"}}};

[[nodiscard]] inline std::string_view name_of(RunPhase phase) {
  return name_in(kRunPhaseNames, phase);
}
// Empty before the first phase.
[[nodiscard]] inline std::string_view name_of(std::optional<RunPhase> phase) {
  return phase ? name_of(*phase) : "";
}

}  // namespace surety::certificate
