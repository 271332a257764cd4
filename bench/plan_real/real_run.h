// One end-to-end run. A decider asks for passes, the network is really trained, and the virtual
// clock advances. At the end the kept checkpoint is evaluated on images that influenced no
// decision.
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
  std::uint32_t kept = 0;        // 0 or 1: certified at or below the target in time.
  std::uint32_t target_met = 0;  // 0 or 1: the decider's opinion.
  double cost = 0;               // Until the end of the certification.
  double seconds = 0;            // Until the end of the certification.
  double metric = 0;             // Metric of the kept checkpoint on the deciding split.
  double certify_metric = 0;     // Metric of the kept checkpoint on the certifying split.
  std::uint32_t passes = 0;
  std::string path;  // The path with its nodes: "prune:0.5@spot*4/full@on-demand*2".
};

// Returns the measurement after a path, by training or from a record.
using MeasureAt = std::function<Result<Point>(std::uint32_t seed, const Path& path)>;

// Certifies the last checkpoint if the decider says that the target is met, and otherwise the one
// with the lowest metric, as in a job. RealRun::planner is left empty.
[[nodiscard]] Result<RealRun> run_once(const World& world, const RealPromise& promise,
                                       Decider& decider, std::uint32_t seed,
                                       const MeasureAt& measure_at);

}  // namespace surety::bench
