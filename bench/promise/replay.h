// Replays a job on recorded runs: each new attempt is one of them, passes take virtual time, and
// the program's own pool of attempts decides.
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

// The largest number of attempts. A replayed job that needs more is abandoned, because it might
// never end.
inline constexpr std::uint32_t kAttemptsMax = 40;

// The times of passes, and the promise. A second costs 1: there is one node at price 1.
struct Cell {
  double target = 0;
  double probability = 0.9;
  std::vector<double> pass_s;  // Seconds of a pass, by version.
  double eval_s = 5;
  double deadline_s = 1e9;
};

// The state of knowledge at a decision after a pass: the chance of being certified in time.
struct ChanceEstimate {
  std::uint32_t passes = 0;  // Passes seen by then.
  double money = 0;          // Money spent by then.
  double mean = 0;           // Mean of the chance over the draws.
  // Quantiles of the chance over the draws, at kLevels.
  std::array<double, std::size(kLevels)> low{};
};

struct Outcome {
  double money = 0;
  bool stopped = false;  // The deciding half reached the target in time.
  // The certifying half agreed, for a job without a stop on its best model.
  bool certified = false;
  bool refused = false;
  // The job was abandoned after kAttemptsMax attempts; only replay() sets it.
  bool abandoned = false;
  std::optional<double> promised_at;  // Money spent when the promise was stated.
  bool promised_by_counts = false;    // If false, the laws of learning support the promise.
  std::uint32_t attempts = 0;
  std::uint32_t passes = 0;  // Passes of all attempts.
  // All decisions in order, from the first pass; only replay() sets it.
  std::vector<ChanceEstimate> estimates;
  // The knowledge for the next job; only replay() sets it.
  std::optional<plan::EarlierJobs> earlier_jobs;
};

// A race: the first two attempts run in parallel, each on half of the nodes. A pass then takes
// `slower` times as long.
struct Race {
  // Passes of the slower attempt, after which the pool decides; 0 means no race.
  std::uint32_t rounds = 0;
  bool same_version = false;
  double slower = 2;
};

// The conditions of a job: its knowledge from earlier jobs, and whether it continues without a
// promise.
struct JobOptions {
  bool best_effort = false;
  Race race = {};
  std::optional<plan::EarlierJobs> earlier = {};
};

// Replays a job in which the pool decides.
[[nodiscard]] Outcome replay(const RecordedStudy& study, const Cell& cell, Random random,
                             const JobOptions& options = {});

// Replays a job that always trains this version, stops by the same rule, and begins a new attempt
// when a run is at its end.
[[nodiscard]] Outcome always(const RecordedStudy& study, const Cell& cell, std::size_t version,
                             Random random);

// Replays successive halving: one attempt of each version makes a pass, then the better half
// continues for twice as many passes, until one attempt is left.
[[nodiscard]] Outcome halving(const RecordedStudy& study, const Cell& cell, Random random);

}  // namespace surety::bench
