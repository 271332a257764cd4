// The pool of attempts of a run. It records the passes and decides the next action. There is no
// separate phase of measuring: every pass is training.
//
// The pool is a pure and deterministic fold over passes. A restarted coordinator feeds it the
// passes of its journal and gets the same state. After each pass next() returns one of these
// actions: certify an attempt that has reached the target, or the best one if no progress is
// expected; continue an attempt, in its version or a fuller one; train another attempt; refuse the
// promise. A step also contains the promise, if it can be stated now, and the argument for it.
//
// The promise is stated after at least three passes whose models were better than an untrained one,
// when two consecutive decisions have this result: at least the share `confidence` of the draws
// give at least the promised chance to be certified in time, and the mean over all draws is also at
// least this chance. It is refused, also after two consecutive decisions, when the 97.5 % quantile
// of that chance is below the promised probability, and the mean is below half of the probability
// that the promise may fail. So a run that may well reach its target continues without a promise,
// and so does a run whose likeliest version was never tried.
//
// Neither decision rests on the wide prior alone. Passes of earlier jobs with the same data count
// like passes of this job, as soon as this job has one pass. The first attempts of such jobs are
// counted as well (plan/belief/counts.h). After the first pass of this job a promise may rest on
// the number of them that reached the target. If the counts contradict a promise, it may not rest
// on the laws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "plan/choice/pool_rule.h"
#include "plan/choice/pool_spec.h"
#include "plan/pool/agreement.h"
#include "plan/pool/families.h"
#include "plan/pool/first_attempt.h"
#include "plan/pool/forecast_evidence.h"
#include "plan/pool/pool_chances.h"
#include "plan/pool/pool_record.h"
#include "plan/pool/pool_step.h"

namespace surety::plan {

// What the user was told about the promise.
enum class PoolAnswer : std::uint8_t { kStated, kRefused };

class AttemptPool {
 public:
  explicit AttemptPool(PoolSpec spec);

  // The metric of the untrained model. Only the first call counts.
  void set_untrained_metric(double metric);
  // A pass ended. The number of a fresh attempt is the next one, from 0.
  // REQUIRES: set_untrained_metric() was called.
  void on_pass(const PoolPass& pass);
  // A checkpoint was saved. Its model has this metric on the deciding samples and can be certified.
  void on_saved(double metric) { record_->on_saved(metric); }
  // The promise was stated, or refused with best effort. After a restart the journal is the source.
  void on_answered(PoolAnswer answer);
  // The checkpoint of the attempt is lost, so the attempt cannot continue.
  void on_lost(std::uint32_t attempt) { record_->on_lost(attempt); }
  // An attempt ended before its first pass was complete. It still gets the next attempt number.
  // REQUIRES: set_untrained_metric() was called.
  void on_failed_start(std::uint32_t variant) { record_->on_failed_start(variant); }
  // From now on no fresh attempt begins with a version of this family, unless no other one is left.
  void exclude(std::uint32_t family) {
    if (families_.left() > 1) families_.exclude(family);
  }
  // No attempt is loaded any more. The current attempt, that of the last pass, needs a start like
  // any other attempt that continues.
  void unload() { record_->unload(); }
  // For the replay of a journal: counts the decision that next() made at that moment, after the
  // last pass, without returning it. Stating and refusing a promise each need two consecutive
  // decisions of this kind. As expensive as next(). REQUIRES: that decision neither stated nor
  // refused a promise.
  void on_decided(const PoolMoment& then);

  // REQUIRES: set_untrained_metric() was called.
  [[nodiscard]] PoolStep next(const PoolMoment& now);

  // The time or the money that is missing at a moment, for the promised probability and, if that is
  // above one half, also for an even chance. Only the best option at that moment is considered, so
  // that this takes no longer than a few decisions. Empty if the passes do not support a statement.
  // A model that reaches the target without the margin may still miss it on the certifying samples.
  // REQUIRES: set_untrained_metric() was called.
  [[nodiscard]] std::vector<MissingRoom> missing(const PoolMoment& now) const;

  // Whether the model of the last pass must be saved before another pass changes it: it is better
  // than all saved ones, and the attempt jumps, so that no later pass may be as good. If saving is
  // not `cheap`, it must also show the target. REQUIRES: set_untrained_metric() was called.
  [[nodiscard]] bool must_save(bool cheap) const;
  // Attempts whose checkpoints are not needed any more.
  [[nodiscard]] std::vector<std::uint32_t> abandoned() const;
  // Number of attempts begun so far.
  [[nodiscard]] std::uint32_t attempts() const { return record_->attempts().size(); }
  // The knowledge for later jobs from this job and the earlier ones. `confirmed`: the certifying
  // samples did not contradict the deciding ones. None before the first pass.
  [[nodiscard]] std::optional<EarlierJobs> for_later_jobs(bool confirmed) const;

 private:
  // The step if no attempt is likely to reach the target by continuing, and another one would
  // hardly come nearer. `choice` is the choice among these options with the margin.
  [[nodiscard]] std::optional<PoolStep> exhausted_step(const PoolOptions& options,
                                                       const PoolChoice& choice,
                                                       const PoolMoment& now) const;
  // The step if the current attempt has settled, or has made all its passes, and all others would
  // come to the same model.
  [[nodiscard]] std::optional<PoolStep> settled_step(const PoolOptions& options,
                                                     const PoolMoment& now) const;
  // The step that trains with this option.
  [[nodiscard]] PoolStep training_step(const PoolOption& option);
  // Adds to the step the promise, or the refusal, or a version that was never tried.
  void judge(const PoolChances& chances, const PoolMoment& now, double cost, PoolStep& step);
  void count(const PoolChances& chances, const PoolMoment& now);

  std::unique_ptr<PoolRecord> record_;  // Its address stays, because its parts refer to each other.
  Families families_;
  FirstAttempt first_;
  Agreement agreement_;
  ForecastEvidence forecasts_;
  std::set<std::uint32_t> reported_margin_;  // Attempts whose missing margin was logged.
  bool promised_ = false;
  bool refused_ = false;  // After a refusal, training continues with best effort.
};

}  // namespace surety::plan
