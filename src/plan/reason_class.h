// The class of the reason for which a promise is refused, and its name in plan.json and in
// certificates (docs/certificate.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"

namespace surety::plan {

enum class ReasonClass : std::uint8_t {
  kFloor,     // Every curve clearly tends to a higher metric.
  kDeadline,  // The time is too short.
  kBudget,    // The money is not enough.
  // The measurements show no learning, or the target is so far below them that any statement would
  // be a guess.
  kProfile,
  kData,    // There are too few validation samples.
  kStuck,   // Too many runs never learn.
  kPasses,  // The job allows too few passes.
  kSeeds,   // The fitted laws keep the promise, but there are too few seeds to support it.
};

inline constexpr Names<ReasonClass, 8> kReasonClassNames = {{{ReasonClass::kFloor, "floor"},
                                                             {ReasonClass::kDeadline, "deadline"},
                                                             {ReasonClass::kBudget, "budget"},
                                                             {ReasonClass::kProfile, "profile"},
                                                             {ReasonClass::kData, "data"},
                                                             {ReasonClass::kStuck, "stuck"},
                                                             {ReasonClass::kPasses, "passes"},
                                                             {ReasonClass::kSeeds, "seeds"}}};

[[nodiscard]] inline std::string_view name_of(ReasonClass reason_class) {
  return name_in(kReasonClassNames, reason_class);
}

}  // namespace surety::plan
