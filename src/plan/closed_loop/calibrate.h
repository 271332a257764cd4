// What a success must be worth so that the promise is kept: the least lambda whose policy does, as
// simulated on the continuous process, and, where the laws come from a finite profile, on nearly
// all laws that the profile cannot tell from them.
//
// The decision process misplaces probabilities by a point or two, so lambda is not taken from it.
// Percentile margin (docs/theory.md, section 8): with posterior draws theta_b of the laws,
//
//   lambda_hat = min { lambda : for all lambda' >= lambda,
//                      #{b : P_theta_b(policy of lambda') >= omega} >= confidence * B }
//
// over a ladder of multipliers that is refined where the answer lies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plan/closed_loop/closed_loop.h"
#include "plan/process/simulate.h"

namespace surety::plan {

struct CalibrateOptions {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1000;       // Of each policy on the fitted laws.
  std::uint32_t world_runs = 400;  // On each drawn law.
  std::uint32_t refinements = 2;   // Halvings of the step of the ladder, a factor 4.
  double confidence = 0.9;
  // Of the chosen policy on the fitted laws once more, with other random numbers than it was chosen
  // by. None: not.
  struct Again {
    std::uint64_t seed = 1;
    std::uint32_t runs = 1000;
  };
  std::optional<Again> again = {};
};

struct Calibration {
  std::shared_ptr<const ClosedLoop> policy;  // The chosen one, or else the most dependable.
  bool keeps = false;                        // At least the promised probability on the laws.
  bool supported = false;                    // And on enough of the worlds; true without worlds.
  Outcome outcome;
  Outcome again;  // As CalibrateOptions::again asks for it.
  // What was tried on the way, ascending in lambda.
  struct Tried {
    double lambda = 0, probability = 0, cost_mean = 0;
  };
  std::vector<Tried> tried;
};

// `worlds`: settings with the model's variants. Where chance is against the chosen policy when it
// is simulated again, the next more dependable one that was tried is taken, and so on. O((ladder +
// refinements) * (sweep + simulations)).
[[nodiscard]] Calibration calibrate(const std::shared_ptr<const ClosedLoopModel>& model,
                                    double omega, std::span<const Setting> worlds,
                                    const CalibrateOptions& options);

// Does the most dependable policy keep the promise, on the laws, on enough of the worlds, and when
// it is simulated again? Then calibrate() finds a policy that does. O(sweep + simulations).
[[nodiscard]] bool can_calibrate(const std::shared_ptr<const ClosedLoopModel>& model, double omega,
                                 std::span<const Setting> worlds, const CalibrateOptions& options);

// Success probability that `confidence` of the worlds have at least. REQUIRES: some world.
[[nodiscard]] double percentile_of_worlds(const ClosedLoop& policy, std::span<const Setting> worlds,
                                          const CalibrateOptions& options);

// For a run under way: the policy of the least lambda from `lambda` on that reaches the model's
// promised probability from here, or of the one that comes closest.
struct Anchor {
  std::shared_ptr<const ClosedLoop> policy;
  double probability = 0;
};
[[nodiscard]] Anchor anchor_again(const std::shared_ptr<const ClosedLoopModel>& model,
                                  double lambda, const Midway& here);

}  // namespace surety::plan
