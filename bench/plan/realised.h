// What plans really cost and how often they really succeed, and what a method costs at a success
// that it has no plan for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/process/simulate.h"

namespace surety::bench {

// Of one plan, simulated.
struct Realised {
  double probability = 0, cost = 0;
};

// A fixed schedule that is followed and paid to its end, as open-loop planners mean it. A run
// succeeds when any checkpoint on the way met the target: the best of them is kept.
[[nodiscard]] Realised run_to_end(const plan::Setting& world, const plan::Schedule& schedule,
                                  std::uint64_t seed, std::uint32_t runs);

// A policy, or a schedule that stops at the target.
[[nodiscard]] Realised realise(const plan::Setting& world, const plan::Policy& policy,
                               std::uint64_t seed, std::uint32_t runs);
[[nodiscard]] Realised realise(const plan::Setting& world, const plan::Schedule& schedule,
                               std::uint64_t seed, std::uint32_t runs);

// What a method costs at just this success probability, given plans of it: the cheapest that is
// likelier, or the best coin toss between one that is and one that is not. None: all fall short.
[[nodiscard]] std::optional<double> cost_at(const std::vector<Realised>& plans, double probability);

}  // namespace surety::bench
