// Who says what a run does next: asked before the first pass and after every one.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "bench/studies/world.h"
#include "plan/plan.h"
#include "plan/planner/controller.h"

namespace surety::bench {

struct Observation {
  std::uint32_t pass = 0;  // Done so far.
  double seconds = 0, seconds_left = 0;
  double pass_s = 0;  // The last one took, with its evaluation.
  double metric = 0, metric_se = 0;
};

struct TrainAt {
  Place place;
};
struct StopNow {
  bool target_met = false;  // In its opinion.
};
using Answer = std::variant<TrainAt, StopNow>;

class Decider {
 public:
  virtual ~Decider() = default;
  // For the first pass.
  [[nodiscard]] virtual Place begin() = 0;
  [[nodiscard]] virtual Answer next(const Observation& seen) = 0;
};

// Follows a plan as a running job does. REQUIRES: each block is on one node, of a type that is
// named.
[[nodiscard]] std::unique_ptr<Decider> follow(const plan::Plan& plan);

// So many passes at each place, one after the other, whatever is seen; then it stops, and has no
// opinion whether the target is met.
struct FixedLeg {
  Place place;
  std::uint32_t passes = 0;
};
[[nodiscard]] std::unique_ptr<Decider> follow_blindly(std::vector<FixedLeg> legs);

}  // namespace surety::bench
