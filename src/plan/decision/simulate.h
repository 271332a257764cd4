// The results of a policy, from many runs on the fitted laws, with continuous metric and time and
// no grid.
//
// Every printed probability, cost and band comes from here. A run draws its effect A once. A pass
// adds rate * e^A * (1 + noise z) to the progress; steps back are kept, because clipping them would
// make every plan look better. A pass takes a time as in plan/laws/time_model.h.
//
// After each pass the job's own rule (policy.h) decides. It observes the metric of the checkpoint:
// the metric of the run's course, with jitter. At the end of the run, one checkpoint is measured on
// another split: the one at which the rule stopped, or the best one if the rule did not stop. The
// metric on this split deviates at random, with a standard deviation of sqrt(2) standard errors of
// an evaluation. It determines whether the run counts as a success.
//
// Some runs never learn. Their metric stays that of the untrained model, while the job continues to
// pay. The law of each version contains their share. They are the same runs for all versions, with
// the largest share among the versions used. The course of a run does not fall below the metric
// that the profile supports (VersionLaw::metric_supported), but stays there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/decision/policy.h"
#include "plan/plan.h"
#include "plan/types.h"

namespace surety::plan {

// The progress of one profile seed, pass by pass, to be replayed instead of drawn.
struct Replay {
  // Indexed by law; after the last pass it repeats from the first.
  std::vector<std::vector<double>> steps;
};

// The state in which simulated runs begin, unless they begin untrained at time 0.
struct MidRunState {
  double seconds = 0;
  double cost = 0;
  std::size_t variant = 0;
  double metric = 0;
  std::uint32_t passes = 0;  // Passes done so far.
};

// The points in time of a band: 0 and the end of each of `count` equal steps, of `seconds` in all.
// REQUIRES: count > 0.
struct BandSteps {
  std::uint32_t count = 0;
  double seconds = 0;
};

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1000;
  std::uint32_t first_run = 0;  // Run i of a seed is the same for every caller.
  std::optional<BandSteps> bands = {};
  const Replay* replay = nullptr;
  std::optional<MidRunState> from = {};
  // Called for every decision, run by run.
  std::function<void(const DecisionState&, const Move&)> watch = {};
};

struct Outcome {
  double probability = 0;
  double cost_mean = 0;
  double cost_95 = 0;
  double seconds_mean = 0;
  double seconds_95 = 0;
  // Passes of the last leg of a fixed schedule, among the runs that reached it.
  std::uint32_t last_passes_95 = 0;
  std::vector<Band> bands;
  std::vector<Usage> usage;  // One entry for each variant, also for unused ones.

  // Whether nearly all runs keep this budget.
  [[nodiscard]] bool keeps(const std::optional<double>& budget) const {
    return !budget || cost_95 <= *budget;
  }
};

// Simulates jobs in `world` that follow `policy`. Two policies with the same seed have the same
// random numbers (common random numbers). REQUIRES: the policy's variants are those of the world;
// runs > 0. O(runs * passes).
[[nodiscard]] Outcome simulate(const Setting& world, const Policy& policy,
                               const SimulateOptions& options);
// REQUIRES: at least one leg; variants in range.
[[nodiscard]] Outcome simulate(const Setting& setting, const Schedule& schedule,
                               const SimulateOptions& options);

// An example is "prune:0.5 x6 then full x4 on 3 nodes".
[[nodiscard]] std::string describe(const Setting& setting, const Schedule& schedule);

}  // namespace surety::plan
