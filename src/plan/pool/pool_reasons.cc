#include "plan/pool/pool_reasons.h"

#include <fmt/format.h>

#include "plan/belief/stop_metric.h"
#include "plan/pool/pool_words.h"

namespace surety::plan {
namespace {

ShortOfMargin short_of(const PoolReasons& pool, std::uint32_t attempt) {
  return {pool.spec.target,
          stop_metric(pool.spec.target, pool.spec.probability, pool.metric_se,
                      pool.attempts[attempt].fall.is_steady()),
          pool.spec.probability};
}

std::string fresh_reason(const PoolReasons& pool, const PoolOption& option) {
  const std::string& name = pool.variants[option.variant].name;
  if (pool.attempts.empty()) return fmt::format("attempt 1 begins with {}", name);
  if (pool.attempts.candidates(pool.spec.passes_max).empty()) {
    return attempt_words(pool.attempts.size() + 1, name, "no earlier attempt can continue");
  }
  const bool names_cost =
      option.cost < pool.spec.passes_max * pool.variants.pass_cost(option.variant);
  const std::string fresh = fresh_words(pool.attempts.size() + 1, name, option.cost, names_cost);
  const auto current = pool.attempts.current();
  if (!current || !pool.lacks_margin(*current)) return fresh;
  return fmt::format("{}; attempt {} is {}", fresh, *current + 1,
                     margin_words(short_of(pool, *current)));
}

}  // namespace

bool PoolReasons::lacks_margin(std::uint32_t attempt) const {
  return attempts[attempt].metric <= spec.target && metric_se > 0;
}

std::optional<std::string> PoolReasons::forecast(const PoolOption& option) const {
  if (!option.attempt || !lacks_margin(*option.attempt)) return forecast_words(option, scope);
  const ShortOfMargin seen = short_of(*this, *option.attempt);
  return margin_words(seen, forecast_words(option, scope, metric_words(spec.metric, seen.goal)));
}

std::string PoolReasons::reason(const PoolOption& option,
                                const std::optional<std::string>& forecast) const {
  if (!option.attempt) return fresh_reason(*this, option);
  const PoolAttempt& attempt = attempts[*option.attempt];
  return fmt::format("attempt {} {} {}: {} after {}, {}", *option.attempt + 1,
                     attempt.variant == option.variant ? "continues with" : "changes to",
                     variants[option.variant].name, metric_words(spec.metric, attempt.metric),
                     passes_words(attempt.passes), forecast.value_or(""));
}

}  // namespace surety::plan
