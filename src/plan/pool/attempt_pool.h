// The pool of attempts of a run: what it has seen, and what it does next (measuring is training).
//
// A fold over passes, pure and deterministic: a coordinator that comes back feeds what its journal
// holds and stands where it stood. After each pass next() says: certify what has reached the
// target; go on, in this version or a fuller one; train another attempt; refuse. It says when the
// promise can be stated, and what rests on what.
//
// The promise is stated as soon as the share `confidence` of the draws have at least the promised
// chance to be certified in time, after two passes on end and three passes in all. It is refused
// when the 97.5 % quantile of that chance is below what is promised, for as long, and the mean
// below half of what the promise may fail by: a run that may well get there goes on without a
// promise, and so does one whose likeliest version was never tried. Never from the wide prior
// alone; of earlier jobs with the same data, passes count like its own, which must be one at least.
// The first attempts of such jobs are counted as well (counts.h): after its first pass a promise
// may rest on how many of them reached the target, and none rests on the laws where the counts
// speak against it.
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
  std::uint32_t attempt = 0, variant = 0;
  std::uint32_t passes = 0;          // Of the attempt, with this one.
  double metric = 0, metric_se = 0;  // On the deciding samples, as the planner minimises.
  double seconds = 0;                // With its evaluation.
  std::uint32_t workers = 0;         // That it had; 0: as its variant says.
};

struct PoolTrain {
  std::optional<std::uint32_t> attempt;  // None: a fresh one.
  std::uint32_t variant = 0;
};
struct PoolCertify {
  std::uint32_t attempt = 0;
  bool target_met = false;  // Else: nothing better can be done in the time and for the money left.
};
struct PoolRefuse {
  std::string reason_class, reason;
  // Nearest promises, each by itself; of time and money what they would leave from now on.
  std::optional<double> target, probability, seconds_left, money_left;
};

// What a promise rests on when it is stated.
struct PoolPromise {
  double probability = 0;        // Of being certified in time: mean over the draws.
  double probability_lower = 0;  // What the share `confidence` of them have.
  double cost_mean = 0;          // From here on.
  std::string argument;
};

struct PoolStep {
  std::variant<PoolTrain, PoolCertify, PoolRefuse> action;
  std::string reason;    // For people.
  std::string forecast;  // When the target is expected, for people; may be empty.
  // Chance that the likeliest option is certified in time, in each draw of the belief; empty where
  // nothing was weighed.
  std::vector<double> outlook;
  std::optional<PoolPromise> promised;  // The promise is stated with this step.
  // With best_effort, once: what would be refused without it.
  std::optional<PoolRefuse> hopeless;
  bool notable = false;  // Another attempt or version than before.
};

class AttemptPool {
 public:
  explicit AttemptPool(PoolSpec spec);
  ~AttemptPool();
  AttemptPool(AttemptPool&&) noexcept;
  AttemptPool& operator=(AttemptPool&&) noexcept;

  // The untrained model was measured. The first one counts.
  void untrained(double metric);
  // A pass ended. A fresh attempt has the next number, from 0.
  // REQUIRES: untrained() was called.
  void passed(const PoolPass& pass);
  // A model with this metric on the deciding samples has a checkpoint: it could be certified.
  void saved(double metric);
  // The promise was stated (also after a restart, from the journal).
  void promised();
  // Its checkpoint is lost: it cannot go on.
  void lost(std::uint32_t attempt);
  // No fresh attempt begins with a version of this family any more. REQUIRES: another one is left.
  void exclude(std::uint32_t family);
  [[nodiscard]] std::uint32_t families_left() const;
  // No attempt is loaded: the one in hand, that of the last pass, has to be as any other that goes
  // on.
  void unload();
  // When a journal is replayed: counts the decision that next() came to at that moment, after the
  // last pass, without returning it. To state a promise and to refuse one both need two such
  // decisions on end. As expensive as next(). REQUIRES: it stated and refused nothing.
  void decided(const PoolMoment& then);
  // Whether next() weighs anything when an attempt has had so many passes and is not at its target.
  [[nodiscard]] static bool decides_after(std::uint32_t passes);
  // An attempt ended before its first pass did; it has the next number all the same.
  void came_to_nothing(std::uint32_t variant);

  // REQUIRES: untrained() was called.
  [[nodiscard]] PoolStep next(const PoolMoment& now);

  // What one would certify now: least metric on the deciding samples. None before the first pass.
  [[nodiscard]] std::optional<std::uint32_t> best() const;
  // Attempts that need no checkpoint any more.
  [[nodiscard]] std::vector<std::uint32_t> given_up() const;
  [[nodiscard]] std::uint32_t attempts() const;  // Begun so far.
  // For later jobs, with what it has from earlier ones. `confirmed`: the certifying samples did not
  // contradict the deciding ones. None before the first pass.
  [[nodiscard]] std::optional<EarlierJobs> lessons(bool confirmed) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace surety::plan
