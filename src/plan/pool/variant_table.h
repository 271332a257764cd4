// What a pass takes and costs with each variant of a pool: guessed first, then seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/pool/pass_times.h"
#include "plan/pool/pool_rule.h"
#include "plan/pool/pool_spec.h"

namespace surety::plan {

class VariantTable {
 public:
  // `spec` must live as long. REQUIRES: it has variants.
  explicit VariantTable(const PoolSpec& spec);

  // A pass took so many seconds, on so many workers; 0: not known.
  void saw(std::uint32_t variant, double seconds, std::uint32_t workers);

  [[nodiscard]] const PoolVariantSpec& operator[](std::uint32_t variant) const {
    return spec_.variants[variant];
  }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(spec_.variants.size());
  }
  [[nodiscard]] const PassTimes& times() const { return times_; }
  // Logarithm of the workers that a pass has, over those that guesses are meant for: as SeenPass
  // has it. For a number of workers, for the next pass of a variant, and the most of all variants.
  [[nodiscard]] double workers_log_of(std::uint32_t workers) const;
  [[nodiscard]] double workers_log(std::uint32_t variant) const;
  [[nodiscard]] double most_workers_log() const;

  [[nodiscard]] double pass_s(std::uint32_t variant) const;
  // Of a pass: money; seconds where training costs nothing.
  [[nodiscard]] double pass_cost(std::uint32_t variant) const;
  // With these nodes, in the time and for the money left; seconds where training costs nothing.
  [[nodiscard]] double most_to_spend(std::uint32_t variant, const PoolMoment& now) const;
  // Is there time and money for one more pass?
  [[nodiscard]] bool fits(std::uint32_t variant, const PoolMoment& now) const;
  // For the decision; which may begin is left to the caller.
  [[nodiscard]] std::vector<PoolVariant> variants() const;

 private:
  const PoolSpec& spec_;
  PassTimes times_;
  std::uint32_t workers_ = 0;  // Of the last pass; 0: not known.
};

}  // namespace surety::plan
