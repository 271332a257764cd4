// Stories of a pool of attempts: its decisions for given artificial passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/pool/attempt_pool.h"

namespace surety::plan {
namespace pool_story_test {

inline constexpr double kStart = 2.3;

// A spec with two versions, the full one and prune:0.5, at price 1.
[[nodiscard]] PoolSpec spec_of(double target);
// A spec with the full version alone.
[[nodiscard]] PoolSpec full_only(double target);

struct Story;
// The attempt with the least metric in its last pass.
[[nodiscard]] std::uint32_t best_of(const Story& story);

// The decisions of a pool if passes take 10 s with the full version and 5 s with the other one.
struct Story {
  std::vector<std::string> reasons;
  std::vector<std::string> is_notable;
  std::vector<PoolPass> passes;
  std::optional<std::size_t> promised_after;  // Number of passes.
  double promised_chance = 0;                 // Value at the time of the promise.
  double expected_cost = 0;                   // Value at the time of the promise.
  double can_be_spent = 0;                    // Value at the time of the promise.
  PoolStep last;
};

// `law`: the metric of an attempt after k passes. `saves`: whether each pass has a checkpoint.
Story run(AttemptPool& pool, double deadline_s, std::size_t passes_max,
          const std::function<double(std::uint32_t)>& law, double se = 0.01, bool saves = true);

inline double quick(std::uint32_t k) { return kStart / (1 + k); }
// The best metric is 0.33, after six passes; then it rises by 0.03 a pass.
inline double learns_by_heart(std::uint32_t k) {
  return k <= 6 ? quick(k) : quick(6) + 0.03 * (k - 6);
}
inline double hardly(std::uint32_t k) { return kStart * (0.8 + 0.2 / (1 + k)); }

}  // namespace pool_story_test
}  // namespace surety::plan
