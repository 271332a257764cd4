// True laws from which profiles are drawn and by which plans are judged. One has the shape that the
// planner assumes, and the other has another shape.
//
// The other truth has effects that the fitted laws cannot describe. Some seeds are slow with every
// version, a seed's luck differs between versions, checkpoints lie off the curve, and some passes
// stall.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/decision/policy.h"
#include "plan/profile.h"
#include "plan/promise.h"
#include "plan/types.h"
#include "realised.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::bench {

struct Truth {
  plan::synthetic::Spec spec;
  // Share of slow runs, and the relative progress of their passes.
  double slow_share = 0;
  double slow_rate = 1;
  double shared = 1;       // Share of the run effect's variance that all versions have in common.
  double jitter = 0;       // Deviation of a checkpoint from its run's course, in the metric.
  double stall_share = 0;  // Share of the passes that bring no progress.
};

// The planner's own shape, with the first `versions` of full, prune:0.5 and prune:0.75, as noisy as
// the reference instances.
[[nodiscard]] Truth planners_truth(std::uint32_t seeds, std::size_t versions);
[[nodiscard]] Truth other_truth(std::uint32_t seeds, std::size_t versions);

// Draws a profile from this truth, as synthetic::draw_profile() does.
[[nodiscard]] plan::Profile draw_profile(const Truth& truth, std::uint64_t seed);

// An instance with one on-demand node and one spot node, as in
// test/support/plan/reference_instance.h.
[[nodiscard]] plan::Instance instance_of(const Truth& truth, double deadline_s, double probability);

// The planner's setting with the true laws in place of the fitted ones. If the truth has no law of
// that shape, the nearest law is used.
[[nodiscard]] plan::Setting true_setting(const Truth& truth, plan::Setting setting);

// The result of the policy in runs that the fitted laws may not describe. The observed metric of a
// checkpoint is its true metric. REQUIRES: `setting` is a result of true_setting().
[[nodiscard]] Realised realise_in(const Truth& truth, const plan::Setting& setting,
                                  const plan::Policy& policy, std::uint64_t seed,
                                  std::uint32_t runs);

}  // namespace surety::bench
