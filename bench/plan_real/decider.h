// Decides the next action of a run. It is called before the first pass and after every pass.
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
  std::uint32_t pass = 0;  // Passes done so far.
  double seconds = 0;
  double seconds_left = 0;
  double pass_s = 0;  // Seconds of the last pass, with its evaluation.
  double metric = 0;
  double metric_se = 0;
};

struct TrainAt {
  Place place;
};
struct StopNow {
  bool target_met = false;  // Whether the decider believes that the target is met.
};
using Answer = std::variant<TrainAt, StopNow>;

class Decider {
 public:
  virtual ~Decider() = default;
  // The place of the first pass.
  [[nodiscard]] virtual Place begin() = 0;
  [[nodiscard]] virtual Answer next(const Observation& seen) = 0;
};

// Follows a plan as a running job does. REQUIRES: each block uses one node, whose type has a name.
[[nodiscard]] std::unique_ptr<Decider> follow(const plan::Plan& plan);

// A number of passes at one place, for a decider that ignores all observations. It stops after the
// last pass and does not judge whether the target is met.
struct FixedLeg {
  Place place;
  std::uint32_t passes = 0;
};
[[nodiscard]] std::unique_ptr<Decider> follow_blindly(std::vector<FixedLeg> legs);

}  // namespace surety::bench
