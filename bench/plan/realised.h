// What plans really cost and how often they really succeed, and what a method costs at a success
// probability that none of its plans has.
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

// Simulates a fixed schedule that is followed and paid to its end, as open-loop planners mean it. A
// run succeeds if any checkpoint on the way met the target, because the best one is kept.
[[nodiscard]] Realised run_to_end(const plan::Setting& world, const plan::Schedule& schedule,
                                  std::uint64_t seed, std::uint32_t runs);

// Simulate a policy, or a schedule that stops at the target.
[[nodiscard]] Realised realise(const plan::Setting& world, const plan::Policy& policy,
                               std::uint64_t seed, std::uint32_t runs);
[[nodiscard]] Realised realise(const plan::Setting& world, const plan::Schedule& schedule,
                               std::uint64_t seed, std::uint32_t runs);

// What a method costs at exactly this success probability, given some plans of it. This is the
// cheapest plan that is likelier, or the best random mixture of a likelier plan and one that is
// not. Nothing if all plans fall short.
[[nodiscard]] std::optional<double> cost_at(const std::vector<Realised>& plans, double probability);

}  // namespace surety::bench
