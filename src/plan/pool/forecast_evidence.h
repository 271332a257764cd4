// Decides how much the log may say about the time at which an attempt reaches its target. The laws
// of learning give a forecast from the first pass on, but after one or two passes it is hardly more
// than their prior: in measured runs, the expected remaining passes were several times the needed
// ones.
//
// There is no forecast before three passes whose models were better than an untrained one. The
// statement that the attempt does not reach its target within its passes has the conditions of a
// refusal: the attempt itself has three passes, and two consecutive decisions agree.
#pragma once

#include "plan/choice/pool_rule.h"
#include "plan/pool/pool_record.h"
#include "plan/pool/pool_words.h"
#include "plan/pool/streak.h"

namespace surety::plan {

class ForecastEvidence {
 public:
  // A decision has chosen this option.
  void count(const PoolRecord& record, const PoolOption& option) {
    far_.count(is_out_of_reach(option) && record.attempts()[*option.attempt].passes >= kEvidence);
  }
  [[nodiscard]] ForecastScope scope(const PoolRecord& record) const {
    if (evidence_of_learning(record) < kEvidence) return ForecastScope::kNothing;
    return far_.is_long() ? ForecastScope::kAll : ForecastScope::kIfInReach;
  }

 private:
  Streak far_;  // Decisions that find the target out of reach.
};

}  // namespace surety::plan
