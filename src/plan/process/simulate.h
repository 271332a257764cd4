// What a policy does, run many times on the fitted laws: continuous metric and time, no grid.
//
// Every probability, cost and band that is printed comes from here. A run draws its effect A once;
// a pass adds rate * e^A * (1 + noise z) to the progress (steps back stay: clipping them would
// make every plan look better) and takes a time as in time_model.h; after each pass the job's own
// rule (policy.h) decides, seeing the checkpoint's metric: the run's course and its jitter. The
// checkpoint that it stopped for, or else the best one, is then measured on another split: its
// metric there is off by sqrt(2) standard errors of an evaluation, and only then does a run count
// as a success. Some runs never learn: a law's share of them keeps its metric
// where it is while the job pays on (the same runs for all versions, at the worst share among those
// used). And no run's course is simulated below what the profile supports
// (VersionLaw::metric_supported): it stays there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/process/policy.h"
#include "plan/types.h"

namespace surety::plan {

// The progress of one profile seed, pass by pass, to be lived through again instead of drawn.
struct Replay {
  std::vector<std::vector<double>> steps;  // By law; after the last pass the first comes again.
};

// Where simulated runs begin, if not untrained and at once.
struct Midway {
  double seconds = 0, cost = 0;
  std::size_t variant = 0;
  double metric = 0;
};

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1000;
  std::uint32_t first_run = 0;  // Run i of a seed is the same whoever asks.
  std::uint32_t bands = 0;      // Equal steps of the band; 0: none.
  double bands_s = 0;           // That the band covers from 0 on.
  const Replay* replay = nullptr;
  std::optional<Midway> from = {};
  // Sees every decision, run by run.
  std::function<void(const Standing&, const Move&)> watch = {};
};

struct Outcome {
  double probability = 0;
  double cost_mean = 0, cost_95 = 0;
  double seconds_mean = 0, seconds_95 = 0;
  std::uint32_t last_passes_95 = 0;  // Of the last leg of a fixed schedule, runs that reached it.
  // When each run had its certified success, ascending; failures are left out.
  std::vector<double> success_s;
  std::vector<Band> bands;
  std::vector<Usage> usage;  // By variant; all of them.
};

// What happens in `world` when a job follows `policy`. Two policies with the same seed meet the
// same luck (common random numbers).
// REQUIRES: the policy's variants are those of the world; runs > 0. O(runs * passes).
[[nodiscard]] Outcome simulate(const Setting& world, const Policy& policy,
                               const SimulateOptions& options);
// REQUIRES: a leg; variants in range.
[[nodiscard]] Outcome simulate(const Setting& setting, const Schedule& schedule,
                               const SimulateOptions& options);

// "prune:0.5 x6 then full x4 on 3 nodes".
[[nodiscard]] std::string describe(const Setting& setting, const Schedule& schedule);

}  // namespace surety::plan
