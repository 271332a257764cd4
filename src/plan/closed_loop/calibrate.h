// Finds the value of a success (lambda) with which the promise is kept: the least lambda whose
// policy keeps it when simulated on the continuous process. If the laws come from a finite profile,
// the promise must also be kept on nearly all laws that the profile cannot distinguish from them.
//
// The decision process misplaces probabilities by a point or two, so lambda is not taken from it.
// Percentile margin (docs/theory.md, section 8): with posterior draws theta_b of the laws,
//
//   lambda_hat = min { lambda : for all lambda' >= lambda,
//                      #{b : P_theta_b(policy of lambda') >= omega} >= confidence * B }
//
// over multipliers with a constant ratio, which are refined around the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plan/closed_loop/closed_loop.h"
#include "plan/decision/simulate.h"

namespace surety::plan {

struct CalibrateOptions {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1000;       // Runs of each policy on the fitted laws.
  std::uint32_t world_runs = 400;  // Runs on each drawn law.
  std::uint32_t refinements = 2;   // Each halves the step, which is a factor 4.
  double confidence = 0.9;
  // Simulates the chosen policy once more on the fitted laws, with random numbers that were not
  // used for the choice. None: no such simulation.
  struct Again {
    std::uint64_t seed = 1;
    std::uint32_t runs = 1000;
  };
  std::optional<Again> again = {};
};

struct Calibration {
  // The policy of the chosen lambda. If none keeps the promise, that of the most dependable lambda.
  std::shared_ptr<const ClosedLoop> policy;
  bool keeps = false;      // The promised probability is reached on the fitted laws.
  bool supported = false;  // It is also reached on enough worlds; true if there are no worlds.
  Outcome outcome;         // Result on the fitted laws, of the runs from which lambda was chosen.
  Outcome again;           // Result of the simulation that CalibrateOptions::again requests.
  // Every lambda that was tried, in ascending order.
  struct Tried {
    double lambda = 0;
    double probability = 0;
    double cost_mean = 0;
  };
  std::vector<Tried> tried;
};

// `worlds`: settings with the model's variants. If the chosen policy misses the promise when it is
// simulated again, the next more dependable one that was tried is taken, and so on. O((multipliers
// + refinements) * (sweep + simulations)).
[[nodiscard]] Calibration calibrate(const std::shared_ptr<const ClosedLoopModel>& model,
                                    double omega, std::span<const Setting> worlds,
                                    const CalibrateOptions& options);

// Whether the most dependable policy keeps the promise: on the laws, on enough worlds, and when it
// is simulated again. If so, calibrate() finds a policy that does. O(sweep + simulations).
[[nodiscard]] bool can_calibrate(const std::shared_ptr<const ClosedLoopModel>& model, double omega,
                                 std::span<const Setting> worlds, const CalibrateOptions& options);

// The highest probability such that the share `confidence` of the worlds have at least this success
// probability. REQUIRES: at least one world.
[[nodiscard]] double percentile_of_worlds(const ClosedLoop& policy, std::span<const Setting> worlds,
                                          const CalibrateOptions& options);

// For a run in progress: the policy with the least lambda, from `lambda` on, that reaches the
// model's promised probability from here. If none does, the one that comes closest.
struct Recalibration {
  std::shared_ptr<const ClosedLoop> policy;
  double probability = 0;
};
[[nodiscard]] Recalibration recalibrate(const std::shared_ptr<const ClosedLoopModel>& model,
                                        double lambda, const MidRunState& here);

}  // namespace surety::plan
