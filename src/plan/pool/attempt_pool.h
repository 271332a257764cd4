// The pool of attempts of a run. It keeps what the passes showed and decides which action comes
// next. There is no separate phase of measuring: every pass is training.
//
// The pool is a pure and deterministic fold over passes. A restarted coordinator feeds it the
// passes of its journal and gets the same state. After each pass next() returns one of these
// actions: certify an attempt that has reached the target; continue an attempt, in its version or a
// fuller one; train another attempt; refuse the promise. A step also contains the promise, if it
// can be stated now, and the argument for it.
//
// The promise is stated after at least three passes, when two decisions in a row find this: at
// least the share `confidence` of the draws give at least the promised chance to be certified in
// time. It is refused, also after two decisions in a row, when the 97.5 % quantile of that chance
// is below the promised probability, and the mean is below half of the probability that the promise
// may fail. A run that may well reach its target therefore continues without a promise. So does a
// run whose likeliest version was never tried.
//
// Neither decision rests on the wide prior alone. Passes of earlier jobs with the same data count
// like passes of this job, as soon as this job has one pass. The first attempts of such jobs are
// counted as well (plan/belief/counts.h). After the first pass of this job a promise may rest on
// how many of them reached the target, and no promise rests on the laws where the counts contradict
// it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/pool/pool_rule.h"
#include "plan/pool/pool_spec.h"

namespace surety::plan {

struct PoolPass {
  std::uint32_t attempt = 0;
  std::uint32_t variant = 0;
  std::uint32_t passes = 0;   // Passes of the attempt so far, this one included.
  double metric = 0;          // Metric on the deciding samples; lower is better.
  double metric_se = 0;       // Its standard error.
  double seconds = 0;         // Duration, the evaluation included.
  std::uint32_t workers = 0;  // Workers of this pass; 0 means the number of the variant.
};

struct PoolTrain {
  std::optional<std::uint32_t> attempt;  // None means a fresh attempt.
  std::uint32_t variant = 0;
};
struct PoolCertify {
  std::uint32_t attempt = 0;
  bool target_met = false;  // False: nothing better fits into the time and money left.
};
struct PoolRefuse {
  std::string reason_class;
  std::string reason;
  // The nearest promises that could be made, each by changing one value alone. The last two are
  // what a later deadline or a larger budget would leave from now on.
  std::optional<double> target;
  std::optional<double> probability;
  std::optional<double> seconds_left;
  std::optional<double> money_left;
};

// What a promise rests on when it is stated.
struct PoolPromise {
  double probability = 0;        // Chance to be certified in time, mean over the draws.
  double probability_lower = 0;  // The share `confidence` of the draws have at least this chance.
  double cost_mean = 0;          // Expected cost from now on.
  std::string argument;
};

struct PoolStep {
  std::variant<PoolTrain, PoolCertify, PoolRefuse> action;
  std::string reason;    // A sentence for the log.
  std::string forecast;  // When the target is expected, a sentence for the log; may be empty.
  // Chance that the likeliest option is certified in time, in each draw of the belief. Empty if no
  // options were compared.
  std::vector<double> outlook;
  std::optional<PoolPromise> promised;  // Set if the promise is stated with this step.
  // With best_effort: the refusal that would be returned without it. It is set once in a run.
  std::optional<PoolRefuse> hopeless;
  bool is_notable = false;  // The attempt or version differs from the one before.
};

class AttemptPool {
 public:
  explicit AttemptPool(PoolSpec spec);
  ~AttemptPool();
  AttemptPool(AttemptPool&&) noexcept;
  AttemptPool& operator=(AttemptPool&&) noexcept;

  // The metric of the untrained model. Only the first call counts.
  void set_untrained_metric(double metric);
  // A pass ended. The number of a fresh attempt is the next one, from 0.
  // REQUIRES: set_untrained_metric() was called.
  void on_pass(const PoolPass& pass);
  // A checkpoint was saved. Its model has this metric on the deciding samples and can be certified.
  void on_saved(double metric);
  // The promise was stated. After a restart the journal is the source.
  void on_promised();
  // The checkpoint of the attempt is lost, so the attempt cannot continue.
  void on_lost(std::uint32_t attempt);
  // From now on no fresh attempt begins with a version of this family.
  // REQUIRES: another family is left.
  void exclude(std::uint32_t family);
  [[nodiscard]] std::uint32_t families_left() const;
  // No attempt is loaded any more. The current attempt, that of the last pass, needs a start like
  // any other attempt that continues.
  void unload();
  // For the replay of a journal: counts the decision that next() made at that moment, after the
  // last pass, without returning it. Stating and refusing a promise each need two such decisions in
  // a row. As expensive as next().
  // REQUIRES: that decision stated and refused nothing.
  void on_decided(const PoolMoment& then);
  // Whether next() compares options after this many passes of an attempt that is not at its target.
  [[nodiscard]] static bool decides_after(std::uint32_t passes);
  // An attempt ended before its first pass did. It still takes the next attempt number.
  void on_failed_start(std::uint32_t variant);

  // REQUIRES: set_untrained_metric() was called.
  [[nodiscard]] PoolStep next(const PoolMoment& now);

  // The attempt that would be certified now: the least metric on the deciding samples. None before
  // the first pass.
  [[nodiscard]] std::optional<std::uint32_t> best() const;
  // Attempts whose checkpoints are not needed any more.
  [[nodiscard]] std::vector<std::uint32_t> abandoned() const;
  [[nodiscard]] std::uint32_t attempts() const;  // Number of attempts begun so far.
  // What later jobs can learn from this job and the earlier ones. `confirmed`: the certifying
  // samples did not contradict the deciding ones. None before the first pass.
  [[nodiscard]] std::optional<EarlierJobs> lessons(bool confirmed) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace surety::plan
