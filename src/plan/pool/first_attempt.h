// The first attempt of this job, and the promises that the first attempts of earlier jobs with the
// same data allow while it is the only one (plan/belief/earlier_counts.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/belief/earlier_counts.h"
#include "plan/choice/pool_rule.h"
#include "plan/choice/pool_spec.h"
#include "plan/pool/pool_record.h"
#include "plan/pool/pool_step.h"

namespace surety::plan {

class FirstAttempt {
 public:
  // Fixes the passes that each version is allotted, by the laws of earlier jobs. This happens
  // before the first pass, because the counted attempts must not determine the passes by which they
  // are judged. REQUIRES: the record has begun and has no pass.
  void allot(const PoolRecord& record);
  // Passes of other attempts are ignored.
  void on_pass(const PoolPass& pass, const PoolSpec& spec);

  // A promise by the counts alone. None if there is nothing to count, or if the counts allow no
  // promise.
  [[nodiscard]] std::optional<CountedPromise> promise(const PoolRecord& record,
                                                      const PoolMoment& now) const;
  // Whether the counts allow no promise at all.
  [[nodiscard]] bool forbids(const PoolRecord& record, const PoolMoment& now) const;

  // Adds this attempt to those of earlier jobs; only the newest 64 are kept. `confirmed`: the
  // certifying samples did not contradict the deciding ones.
  void add_to(std::vector<CountedAttempt>& attempts, bool confirmed) const;

 private:
  // None if there is nothing to count.
  [[nodiscard]] std::optional<OngoingAttempt> current_attempt(const PoolRecord& record,
                                                              const PoolMoment& now) const;

  CountedAttempt shown_;       // Its observed passes so far.
  std::uint32_t variant_ = 0;  // Variant of its first pass.
  EarlierCounts counts_;
};

}  // namespace surety::plan
