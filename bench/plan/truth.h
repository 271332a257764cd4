// Truths that profiles are drawn from and plans are judged in: of the planner's own shape, or not.
//
// The other truth has what the fitted laws cannot say: some seeds are slow whatever they train, a
// seed's luck differs between versions, checkpoints lie off the curve, and some passes stall.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/process/policy.h"
#include "plan/profile.h"
#include "plan/promise.h"
#include "plan/synthetic_profile.h"
#include "plan/types.h"
#include "realised.h"

namespace surety::bench {

struct Truth {
  plan::synthetic::Spec spec;
  double slow_share = 0, slow_rate = 1;  // Of the runs; what their passes bring, relative.
  double shared = 1;       // Share of the run effect's variance that all versions have in common.
  double jitter = 0;       // Of a checkpoint around the run's course, in the metric.
  double stall_share = 0;  // Of the passes: they bring nothing.
};

// The first `versions` of full, prune:0.5 and prune:0.75, as noisy as the reference instances.
[[nodiscard]] Truth planners_truth(std::uint32_t seeds, std::size_t versions);
[[nodiscard]] Truth other_truth(std::uint32_t seeds, std::size_t versions);

// As synthetic::draw_profile(), from this truth.
[[nodiscard]] plan::Profile draw_profile(const Truth& truth, std::uint64_t seed);

// One node on demand, and one spot node as in reference_instance.h.
[[nodiscard]] plan::Instance instance_of(const Truth& truth, double deadline_s, double probability);

// The planner's setting with the true laws in place of the fitted ones; where the truth has no law,
// the one next to it.
[[nodiscard]] plan::Setting true_setting(const Truth& truth, plan::Setting setting);

// What the policy realises, in runs that the fitted laws need not be able to describe. A checkpoint
// is what it shows. REQUIRES: `setting` is true_setting().
[[nodiscard]] Realised realise_in(const Truth& truth, const plan::Setting& setting,
                                  const plan::Policy& policy, std::uint64_t seed,
                                  std::uint32_t runs);

}  // namespace surety::bench
