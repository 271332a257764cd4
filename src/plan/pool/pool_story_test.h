// Stories of a pool of attempts: what it does with passes that are made up.
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

// Two versions, the full one and prune:0.5, at price 1.
[[nodiscard]] PoolSpec spec_of(double target);
// Only the full one.
[[nodiscard]] PoolSpec full_only(double target);

// What a pool did, when passes take 10 s with the full version and 5 s with the other.
struct Story {
  std::vector<std::string> reasons, notable;
  std::vector<PoolPass> passes;
  std::optional<std::size_t> promised_after;   // Passes.
  double expected_cost = 0, can_be_spent = 0;  // When it was promised.
  PoolStep last;
};

// `law`: the metric after so many passes of an attempt. `saves`: each pass has a checkpoint.
Story run(AttemptPool& pool, double deadline_s, std::size_t passes_max,
          const std::function<double(std::uint32_t)>& law, double se = 0.01, bool saves = true);

inline double quick(std::uint32_t k) { return kStart / (1 + k); }
inline double hardly(std::uint32_t k) { return kStart * (0.8 + 0.2 / (1 + k)); }

}  // namespace pool_story_test
}  // namespace surety::plan
