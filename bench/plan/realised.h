// The true cost and success of plans, and the cost of a method at a success probability that none
// of its plans has.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/decision/simulate.h"

namespace surety::bench {

// The simulated success probability and mean cost of one plan.
struct Realised {
  double probability = 0;
  double cost = 0;
};

// Simulates a fixed schedule that is followed and paid to its end, as intended by open-loop
// planners. A run succeeds if any checkpoint on the way met the target, because the best one is
// kept.
[[nodiscard]] Realised run_to_end(const plan::Setting& world, const plan::Schedule& schedule,
                                  std::uint64_t seed, std::uint32_t runs);

// Simulate a policy, or a schedule that stops at the target.
[[nodiscard]] Realised realise(const plan::Setting& world, const plan::Policy& policy,
                               std::uint64_t seed, std::uint32_t runs);
[[nodiscard]] Realised realise(const plan::Setting& world, const plan::Schedule& schedule,
                               std::uint64_t seed, std::uint32_t runs);

// The cost of a method at exactly this success probability, given some of its plans. This is the
// cost of the cheapest plan with a higher probability, or of the best random mixture of such a plan
// and another one. Nothing if the probabilities of all plans are lower.
[[nodiscard]] std::optional<double> cost_at(const std::vector<Realised>& plans, double probability);

}  // namespace surety::bench
