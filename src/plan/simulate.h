// What a schedule does, run many times on the fitted laws: continuous metric and time, no grid.
//
// Every probability, cost and band that is printed comes from here. A run draws its effect A once;
// a pass adds rate * e^A * (1 + noise z) to the progress (steps back stay: clipping them would
// make every plan look better) and takes a lognormal time; after each pass the job's own rule
// (policy.h) decides. The stopped checkpoint is then measured on another split: its metric there
// is off by sqrt(2) standard errors of an evaluation, and only then does a run count as a success.
// Some runs never learn: a law's share of them keeps its metric where it is while the job pays on
// (the same runs for all versions, at the worst share among those used). And no run is simulated
// below what the profile supports (VersionLaw::metric_supported): it stays there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/types.h"

namespace surety::plan {

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1000;
  std::uint32_t bands = 0;  // Equal steps of the band; 0: none.
  double bands_s = 0;       // That the band covers from 0 on.
};

struct Outcome {
  double probability = 0;
  double cost_mean = 0, cost_95 = 0;
  double seconds_mean = 0, seconds_95 = 0;
  std::uint32_t last_passes_95 = 0;  // Of the last leg, runs that reached it.
  // When each run had its certified success, ascending; failures are left out.
  std::vector<double> success_s;
  std::vector<Band> bands;
};

// Two schedules with the same seed meet the same luck (common random numbers).
// REQUIRES: a leg; variants in range; runs > 0. O(runs * passes).
[[nodiscard]] Outcome simulate(const Setting& setting, const Schedule& schedule,
                               const SimulateOptions& options);

// The durations that the rule decides by.
[[nodiscard]] std::vector<BlockTime> block_times(const Setting& setting, const Schedule& schedule);

// "prune:0.5 x6 then full x4 on 3 nodes".
[[nodiscard]] std::string describe(const Setting& setting, const Schedule& schedule);

// A switch lands at least this far above the new floor, as a share of the new curve's scale, so
// that the progress there is finite.
inline constexpr double kFloorMargin = 1e-3;

}  // namespace surety::plan
