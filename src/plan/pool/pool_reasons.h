// The reasons for which the pool continues an attempt or begins another one, as sentences for the
// log. The wording itself is in pool_words.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/choice/pool_rule.h"
#include "plan/choice/pool_spec.h"
#include "plan/choice/variant_table.h"
#include "plan/pool/pool_attempts.h"
#include "plan/pool/pool_words.h"

namespace surety::plan {

// The inputs of the sentences. All references must outlive this object.
struct PoolReasons {
  const PoolSpec& spec;
  const VariantTable& variants;
  const PoolAttempts& attempts;
  double metric_se = 0;  // Standard error of the last evaluation.
  ForecastScope scope = ForecastScope::kAll;

  // Whether the attempt has reached the target, but without the margin that certification needs.
  [[nodiscard]] bool lacks_margin(std::uint32_t attempt) const;
  // The time at which the option is expected to reach the target, or the margin that it lacks.
  // None for a fresh attempt.
  [[nodiscard]] std::optional<std::string> forecast(const PoolOption& option) const;
  // The reason for the choice of the option. `forecast` is the forecast of the same option.
  [[nodiscard]] std::string reason(const PoolOption& option,
                                   const std::optional<std::string>& forecast) const;
};

}  // namespace surety::plan
