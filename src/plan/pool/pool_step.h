// The input of a pool of attempts, passes, and its output, steps (attempt_pool.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/choice/nearest_promises.h"
#include "plan/reason_class.h"

namespace surety::plan {

struct PoolPass {
  std::uint32_t attempt = 0;
  std::uint32_t variant = 0;
  std::uint32_t passes = 0;  // Passes of the attempt so far, this one included.
  double metric = 0;         // Metric on the deciding samples; lower is better.
  double metric_se = 0;      // Its standard error.
  double seconds = 0;        // Duration, the evaluation included.
  // Workers of this pass. None means the number of the variant.
  std::optional<std::uint32_t> workers = {};
};

struct PoolTrain {
  std::optional<std::uint32_t> attempt;  // None means a fresh attempt.
  std::uint32_t variant = 0;
};
struct PoolCertify {
  std::uint32_t attempt = 0;
  // False: training stops for another reason (no time or money is left, no progress is expected, or
  // no error is left), and the target was not reached with its margin.
  bool target_met = false;
};
struct PoolRefuse {
  ReasonClass reason_class = ReasonClass::kFloor;
  std::string reason;
  // The nearest promises that could be made, each by changing one value alone. The last two are the
  // time and the money that would be left from now on with a later deadline or a larger budget.
  std::optional<double> target;
  std::optional<double> probability;
  std::optional<double> seconds_left;
  std::optional<double> money_left;
  // The money from now on that would pay for one more pass, if the budget does not. A pass alone
  // seldom keeps a promise, so this is no nearest promise.
  std::optional<double> pass_money = {};
};

// The argument for a promise when it is stated.
struct PoolPromise {
  double probability = 0;        // Chance to be certified in time, mean over the draws.
  double probability_lower = 0;  // The share `confidence` of the draws have at least this chance.
  double cost_mean = 0;          // Expected cost from now on; never more than can be spent.
  std::string argument;
};

struct PoolStep {
  std::variant<PoolTrain, PoolCertify, PoolRefuse> action;
  std::string reason;  // A sentence for the log.
  // The expected time of reaching the target, as a sentence for the log. Only a step that continues
  // an attempt has one.
  std::optional<std::string> forecast;
  // Chance that the likeliest option is certified in time, in each draw of the belief. Empty if no
  // options were compared.
  std::vector<double> outlook;
  std::optional<PoolPromise> promised;  // Set if the promise is stated with this step.
  // AttemptPool::missing(), if training ends because no time or money is left.
  std::vector<MissingRoom> missing;
  // With best_effort: the refusal that would be returned without it. It is set once in a run.
  std::optional<PoolRefuse> refused_but_continued;
  bool is_notable = false;  // The attempt or version differs from the one before.
};

}  // namespace surety::plan
