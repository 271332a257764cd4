// Records a study: trains what is missing of it, seed by seed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "bench/studies/path.h"
#include "bench/studies/study.h"
#include "bench/studies/trajectories.h"

namespace surety::bench {

enum class Wanted : std::uint8_t {
  kAll,
  kPure,  // Only paths that never change their version.
};

// What is recorded of each seed, in an order in which what a path needs was trained just before.
[[nodiscard]] std::vector<Path> paths_of(const Study& study, Wanted wanted);

struct RecordOptions {
  std::uint32_t seeds = 0;  // 1 to so many.
  Wanted wanted = Wanted::kAll;
  std::function<bool()> may_go_on;               // Asked before each point that is missing.
  std::function<void(std::uint32_t)> seed_done;  // After each seed that is complete.
};

// Returns true where everything is recorded, false where may_go_on() ended it before. What is
// recorded is in the file at once: killed anywhere, it goes on where it was.
[[nodiscard]] Result<bool> record(const Study& study, const RecordOptions& options,
                                  Trajectories& trajectories);

}  // namespace surety::bench
