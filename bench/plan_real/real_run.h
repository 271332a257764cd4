// One end-to-end run: a decider asks for passes, the network is really trained, the virtual clock
// runs, and in the end the kept checkpoint is measured on the images that took no decision.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "bench/studies/path.h"
#include "bench/studies/trajectories.h"
#include "bench/studies/world.h"
#include "decider.h"

namespace surety::bench {

struct RealPromise {
  double target = 0;
  double probability = 0.9;
  double deadline_s = 0;
};

struct RealRun {
  std::string planner;
  std::uint32_t seed = 0;
  std::uint32_t kept = 0;        // The promise, 0 or 1: certified at or below the target in time.
  std::uint32_t target_met = 0;  // In the decider's opinion.
  double cost = 0, seconds = 0;  // To the end of the certification.
  double metric = 0;             // Of the kept checkpoint, on the split that decided,
  double certify_metric = 0;     // and on the one that certified.
  std::uint32_t passes = 0;
  std::string path;  // With nodes: "prune:0.5@spot*4/full@on-demand*2".
};

// What is measured after a path: trained, or looked up.
using MeasureAt = std::function<Result<Point>(std::uint32_t seed, const Path& path)>;

// The checkpoint that is certified is the last one where the decider says that the target is met,
// else the one with the lowest metric, as in a job. RealRun::planner is left empty.
[[nodiscard]] Result<RealRun> run_once(const World& world, const RealPromise& promise,
                                       Decider& decider, std::uint32_t seed,
                                       const MeasureAt& measure_at);

}  // namespace surety::bench
