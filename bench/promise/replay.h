// A job on recorded runs: each fresh attempt is one of them, passes take virtual time, and the
// program's own pool of attempts decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "plan/pool/attempt_pool.h"
#include "bench/studies/recorded.h"

namespace surety::bench {

// What passes take, and what is promised. Seconds are money: one node at price 1.
struct Cell {
  double target = 0, probability = 0.9;
  std::vector<double> pass_s;  // By version.
  double eval_s = 5;
  double deadline_s = 1e9;
};

struct Outcome {
  double money = 0;
  bool stopped = false;    // On the deciding half, in time.
  bool certified = false;  // The certifying half agreed.
  bool refused = false;
  std::optional<double> promised_at;  // Money spent by then.
  bool promised_by_counts = false;    // Else by the laws of learning.
  std::uint32_t attempts = 0;
  std::optional<plan::EarlierJobs> lessons;  // For the next job; of replay() only.
};

// How a job is run: what it knows from earlier ones, and whether it goes on without a promise.
struct JobOptions {
  bool best_effort = false;
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
