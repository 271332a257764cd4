// How fast each worker is: seconds of computing as a function of the work given.
//
//   seconds = o + c * work
//
// o is the same for all and given (0 where the seconds are those of computing alone); c is learned
// for each worker: the median of (seconds - o) / work over its last iterations. Single iterations
// are noise: whoever chases them moves data to and fro for nothing. A worker whose speed truly
// changes (another program came to its machine) shows as a run of iterations far off on the same
// side; then its history is forgotten and it is learned anew from that run.
//
// Work is samples. Where their sizes differ widely (sparse rows) that is the work of a chunk's mean
// row, which is what chunks of many rows cost.
//
// Pure functions of the observations; no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace surety::elastic {

struct SpeedOptions {
  double overhead_s = 0;     // o.
  std::uint32_t window = 9;  // Iterations remembered. Doubled, changes below the break are learned
                             // half as fast, and noise in c is less by a factor of 1.4.
  std::uint32_t enough = 2;  // Observations before c is believed.
  double break_sds = 4;      // Off by so many robust standard deviations ...
  std::uint32_t break_run = 3;  // ... so often in a row, on one side: the speed has changed.
  double sd_min = 0.02;         // Relative. Few observations agree by chance; less is no change.
};

class SpeedModel {
 public:
  explicit SpeedModel(SpeedOptions options) : options_(options) {}

  // One iteration. Ignored: no work, or no more seconds than the overhead.
  void observe(double work, double seconds);
  // c; none while there is not enough to say.
  [[nodiscard]] std::optional<double> seconds_per_work() const;
  // Relative standard deviation of one iteration, robust; of few iterations at least a tenth, as
  // they may agree by chance.
  [[nodiscard]] double noise() const;
  // How often the history was forgotten.
  [[nodiscard]] std::uint32_t changes() const { return changes_; }

 private:
  [[nodiscard]] bool is_far_off(double ratio) const;

  SpeedOptions options_;
  std::vector<double> window_;    // Ratios, oldest first; observe() adds, the oldest goes.
  std::vector<double> suspects_;  // The last ones, all far off on one side; not in the window yet.
  std::uint32_t changes_ = 0;
};

// Of all workers of a job.
class Speeds {
 public:
  explicit Speeds(SpeedOptions options = {}) : options_(options) {}

  void observe(WorkerId worker, double work, double seconds);
  void forget(WorkerId worker) { models_.erase(worker); }
  // The work is another one from now on (another model).
  void forget_all() { models_.clear(); }
  [[nodiscard]] std::optional<double> seconds_per_work(WorkerId worker) const;
  // For each: its own c; who is not known yet counts as the median of those that are, and all as 1
  // where nobody is. REQUIRES: nothing. O(workers log workers).
  [[nodiscard]] std::vector<double> seconds_per_work(std::span<const WorkerId> workers) const;
  // Relative standard error of such a c: the median over those that are known; 0 for none.
  [[nodiscard]] double error(std::span<const WorkerId> workers) const;
  // How many of these are known.
  [[nodiscard]] std::size_t known(std::span<const WorkerId> workers) const;

 private:
  SpeedOptions options_;
  std::map<WorkerId, SpeedModel> models_;  // observe() adds, forget() removes.
};

}  // namespace surety::elastic
