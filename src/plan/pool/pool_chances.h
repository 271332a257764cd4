// The options at a moment under the current belief: the chosen option, the probability of each to
// be certified, and the refusal that would follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/choice/outlook.h"
#include "plan/choice/pool_rule.h"
#include "plan/pool/families.h"
#include "plan/pool/pool_record.h"
#include "plan/pool/pool_step.h"

namespace surety::plan {

// Compares the options for any target and any moment.
class PoolOptions {
 public:
  // `record` must outlive this object. REQUIRES: the record has begun.
  PoolOptions(const PoolRecord& record, const Families& families);

  [[nodiscard]] const PoolRecord& record() const { return record_; }
  // The choice with the target less the margin that stops training.
  [[nodiscard]] PoolChoice choose_with_margin(double target, const PoolMoment& now) const;
  // The choice with the bare target, which the best model must show at the deadline.
  [[nodiscard]] PoolChoice choose_without_margin(double target, const PoolMoment& now) const;
  // `stops` and `shows` are choices of this object with one target and moment.
  [[nodiscard]] Outlook outlook(const PoolChoice& stops, const PoolChoice& shows) const;
  // Only this option of them, which takes far less time to compare.
  [[nodiscard]] PoolOptions only(const PoolOption& option) const;
  // The probability of keeping the specified promise from a moment on, as the mean over the draws.
  [[nodiscard]] double kept(const PoolMoment& from) const;

 private:
  [[nodiscard]] PoolChoice choose(const PoolGoal& goal, const PoolMoment& now) const;

  const PoolRecord& record_;
  std::vector<PoolVariant> variants_;
  std::vector<PoolCandidate> candidates_;
  PoolGoal goal_;  // Its target is the bare target of the specification.
};

// The chances of the specified promise at one moment.
class PoolChances {
 public:
  // `options` must outlive this object. `stops`: its choice with the specified target. REQUIRES:
  // the record has a pass.
  PoolChances(const PoolOptions& options, PoolChoice stops, const PoolMoment& now);

  [[nodiscard]] const Outlook& outlook() const { return outlook_; }
  [[nodiscard]] const PoolOption& likeliest() const;
  // Whether any attempt used the version of the likeliest option.
  [[nodiscard]] bool likeliest_was_tried() const;
  // Whether the promise would be refused. At the deadline the best model is certified, even without
  // the full margin, so the goal without margin must also be hopeless. The certifying samples may
  // also give a better metric than the deciding ones. As long as this chance may make up for the
  // margin that the best model lacks, the promise is not hopeless.
  [[nodiscard]] bool is_hopeless() const;
  // `cost` is the expected cost of the chosen option.
  [[nodiscard]] PoolPromise promise(double cost) const;
  // It costs about 30 comparisons of all options.
  [[nodiscard]] PoolRefuse refusal() const;
  // The same for an attempt that has settled (settled.h): neither time nor money would help.
  [[nodiscard]] PoolRefuse refusal_when_settled(std::string reason) const;

 private:
  [[nodiscard]] bool looks_hopeless(const PoolChoice& choice) const;

  const PoolOptions& options_;
  PoolChoice stops_;
  PoolChoice shows_;
  Outlook outlook_;
  PoolMoment now_;
};

}  // namespace surety::plan
