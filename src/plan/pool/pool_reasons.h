// Why the pool goes on with an attempt, or begins another one: sentences for people, from what the
// pool holds (the wording itself is in pool_words.h).
#pragma once

#include <cstdint>
#include <string>

#include "plan/pool/pool_attempts.h"
#include "plan/pool/pool_rule.h"
#include "plan/pool/pool_spec.h"
#include "plan/pool/variant_table.h"

namespace surety::plan {

// What the sentences are about; all must live as long.
struct PoolReasons {
  const PoolSpec& spec;
  const VariantTable& variants;
  const PoolAttempts& attempts;
  double metric_se = 0;  // Of the last evaluation.

  // The attempt shows the target, but may well not be certified with it.
  [[nodiscard]] bool lacks_margin(std::uint32_t attempt) const;
  // When the option is expected to reach the target, or the margin that it lacks; empty for a fresh
  // attempt.
  [[nodiscard]] std::string forecast(const PoolOption& option) const;
  // Why the option was chosen. `forecast`: of the same option.
  [[nodiscard]] std::string reason(const PoolOption& option, const std::string& forecast) const;
};

}  // namespace surety::plan
