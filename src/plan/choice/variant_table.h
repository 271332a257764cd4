// Duration and cost of a pass with each variant of a pool: first guessed, then measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/choice/pass_times.h"
#include "plan/choice/pool_rule.h"
#include "plan/choice/pool_spec.h"

namespace surety::plan {

class VariantTable {
 public:
  // `spec` must outlive the table. REQUIRES: it has variants.
  explicit VariantTable(const PoolSpec& spec);

  // Adds the duration of a pass. `workers`: the number that took part, if it is known.
  void observe(std::uint32_t variant, double seconds, std::optional<std::uint32_t> workers);

  [[nodiscard]] const PoolVariantSpec& operator[](std::uint32_t variant) const {
    return spec_.variants[variant];
  }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(spec_.variants.size());
  }
  [[nodiscard]] const PassTimes& times() const { return times_; }
  // Logarithm of the workers of a pass over the number that guesses are meant for (SeenPass): for a
  // number of workers, for the next pass of a variant, and the largest of all variants.
  [[nodiscard]] double workers_log_of(std::uint32_t workers) const;
  [[nodiscard]] double workers_log(std::uint32_t variant) const;
  [[nodiscard]] double most_workers_log() const;

  [[nodiscard]] double pass_s(std::uint32_t variant) const;
  // Money for a pass. If the nodes of the variant are free, its seconds are the cost.
  [[nodiscard]] double pass_cost(std::uint32_t variant) const;
  // Whether there is time and money for one more pass.
  [[nodiscard]] bool fits(std::uint32_t variant, const PoolMoment& now) const;
  // The input of choose(). The caller sets may_begin. If no variant costs money, each has the price
  // 1, so that the one that needs the least time is chosen.
  [[nodiscard]] std::vector<PoolVariant> variants() const;

 private:
  const PoolSpec& spec_;
  PassTimes times_;
  std::optional<std::uint32_t> workers_;  // Workers of the last pass; none if not known.
};

}  // namespace surety::plan
