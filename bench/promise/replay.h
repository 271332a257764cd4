// A job on recorded runs: each fresh attempt is one of them, passes take virtual time, and the
// program's own pool of attempts decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "base/random.h"
#include "bench/studies/recorded.h"
#include "plan/pool/attempt_pool.h"

namespace surety::bench {

// Levels at which the lower quantile over the draws may be taken.
inline constexpr double kLevels[] = {0.025, 0.05, 0.1, 0.2, 0.3, 0.5};

// A replayed job that needs more attempts is given up: it might never end.
inline constexpr std::uint32_t kAttemptsMax = 40;

// What passes take, and what is promised. Seconds are money: one node at price 1.
struct Cell {
  double target = 0, probability = 0.9;
  std::vector<double> pass_s;  // By version.
  double eval_s = 5;
  double deadline_s = 1e9;
};

// A decision after a pass: what was believed of being certified in time.
struct Look {
  std::uint32_t passes = 0;                      // Seen by then.
  double money = 0;                              // Spent by then.
  double mean = 0;                               // Over the draws.
  std::array<double, std::size(kLevels)> low{};  // Their quantiles at these levels.
};

struct Outcome {
  double money = 0;
  bool stopped = false;    // On the deciding half, in time.
  bool certified = false;  // The certifying half agreed; without a stop, with the best model.
  bool refused = false;
  bool given_up = false;              // After kAttemptsMax attempts; of replay() only.
  std::optional<double> promised_at;  // Money spent by then.
  bool promised_by_counts = false;    // Else by the laws of learning.
  std::uint32_t attempts = 0;
  std::uint32_t passes = 0;                  // Of all attempts.
  std::vector<Look> looks;                   // Of replay() only, in order, from the first pass.
  std::optional<plan::EarlierJobs> lessons;  // For the next job; of replay() only.
};

// The first two attempts run side by side, each on half of the nodes, which makes a pass `slower`
// times as long.
struct Race {
  std::uint32_t rounds = 0;  // Of the slower one's passes; then the pool decides. 0: no race.
  bool same_version = false;
  double slower = 2;
};

// How a job is run: what it knows from earlier ones, and whether it goes on without a promise.
struct JobOptions {
  bool best_effort = false;
  Race race = {};
  std::optional<plan::EarlierJobs> earlier = {};
};

// The pool decides.
[[nodiscard]] Outcome replay(const RecordedStudy& study, const Cell& cell, Random random,
                             const JobOptions& options = {});

// Always this version, with the same rule to stop, and a new attempt where a run is at its end.
[[nodiscard]] Outcome always(const RecordedStudy& study, const Cell& cell, std::size_t version,
                             Random random);

// Successive halving: one attempt of each version, a pass each; the better half goes on for twice
// as many, until one is left.
[[nodiscard]] Outcome halving(const RecordedStudy& study, const Cell& cell, Random random);

}  // namespace surety::bench
