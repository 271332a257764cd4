// Records a study: trains the missing points, seed by seed.
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
  kPure,  // Only paths that never change the version.
};

// The paths that are recorded for each seed. In this order, the model that a path begins from was
// trained just before.
[[nodiscard]] std::vector<Path> paths_of(const Study& study, Wanted wanted);

struct RecordOptions {
  std::uint32_t seeds = 0;  // Records the seeds 1 to `seeds`.
  Wanted wanted = Wanted::kAll;
  // Called before each missing point; recording ends if it returns false.
  std::function<bool()> may_continue;
  std::function<void(std::uint32_t)> seed_done;  // Called after each complete seed.
};

// Returns true if everything is recorded, and false if may_continue() ended it before. Each point
// is written to the file at once: a process that is killed at any moment can be continued.
[[nodiscard]] Result<bool> record(const Study& study, const RecordOptions& options,
                                  Trajectories& trajectories);

}  // namespace surety::bench
