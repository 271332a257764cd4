// How much the log may say about when an attempt reaches its target. The laws of learning have an
// answer from the first pass on, but after one or two passes it is hardly more than their prior:
// the passes that were expected to be left were several times those that were needed.
//
// Nothing is said before three passes whose models were better than an untrained one. That the
// attempt does not reach its target within its passes is said under the conditions of a refusal:
// the attempt has three passes itself, and two decisions in a row find it.
#pragma once

#include "plan/choice/pool_rule.h"
#include "plan/pool/agreement.h"
#include "plan/pool/pool_record.h"
#include "plan/pool/pool_words.h"

namespace surety::plan {

class ForecastEvidence {
 public:
  // A decision has chosen this option.
  void count(const PoolRecord& record, const PoolOption& option) {
    far_.count(false,
               is_out_of_reach(option) && record.attempts()[*option.attempt].passes >= kEvidence);
  }
  [[nodiscard]] ForecastScope scope(const PoolRecord& record) const {
    if (evidence_of_learning(record) < kEvidence) return ForecastScope::kNothing;
    return far_.refuses() ? ForecastScope::kAll : ForecastScope::kIfInReach;
  }

 private:
  Agreement far_;  // Decisions that find the target out of reach.
};

}  // namespace surety::plan
