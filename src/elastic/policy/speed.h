// Learns the speed of each worker: its cost c, in seconds of computing for one unit of work.
//
// The cost is the median of seconds / work over the worker's last iterations. Single iterations are
// noisy; following them would move data back and forth without a benefit. If a worker's speed
// really changes (another program runs on its machine), several iterations in sequence deviate far
// in the same direction. Then the worker's history is forgotten, and c is learned anew from these
// iterations.
//
// Work is counted in samples. If their sizes differ widely (sparse rows), a sample means the
// average row of a chunk, because chunks of many rows have about this cost for each row.
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
  // Number of iterations remembered. If it is doubled, speed changes that are not detected as
  // breaks are learned half as fast, and the noise of c falls by a factor of 1.4.
  std::uint32_t window = 9;
  std::uint32_t enough = 2;  // Observations before c is used.
  // The speed has changed if `break_run` observations in sequence deviate by more than `break_sds`
  // robust standard deviations, all in the same direction.
  double break_sds = 4;
  std::uint32_t break_run = 3;
  // Lower bound of the relative standard deviation: a few observations may agree by chance.
  double sd_min = 0.02;
};

class SpeedModel {
 public:
  explicit SpeedModel(SpeedOptions options) : options_(options) {}

  // Adds one iteration. It is ignored if there was no work, or if it took no time.
  void observe(double work, double seconds);
  // The cost c; nullopt if there are not enough observations.
  [[nodiscard]] std::optional<double> seconds_per_work() const;
  // Robust relative standard deviation of one iteration. With few iterations it is at least a
  // tenth, because they may agree by chance.
  [[nodiscard]] double noise() const;

 private:
  [[nodiscard]] bool is_far_off(double ratio) const;

  SpeedOptions options_;
  // Ratios, oldest first; observe() adds and removes the oldest.
  std::vector<double> window_;
  // The last ratios if all deviate far in one direction; they are not in the window yet.
  std::vector<double> suspects_;
};

// The speeds of all workers of a job.
class Speeds {
 public:
  explicit Speeds(SpeedOptions options = {}) : options_(options) {}

  void observe(WorkerId worker, double work, double seconds);
  void forget(WorkerId worker) { models_.erase(worker); }
  // Another model is trained from now on, so all speeds are unknown again.
  void forget_all() { models_.clear(); }
  [[nodiscard]] std::optional<double> seconds_per_work(WorkerId worker) const;
  // The cost c of each worker. An unknown worker counts as the median of the known ones; if no
  // worker is known, all count as 1. O(workers log workers).
  [[nodiscard]] std::vector<double> seconds_per_work(std::span<const WorkerId> workers) const;
  // Relative standard error of such a c: the median over the known workers; 0 if no worker is
  // known.
  [[nodiscard]] double error(std::span<const WorkerId> workers) const;

 private:
  SpeedOptions options_;
  std::map<WorkerId, SpeedModel> models_;  // observe() adds, forget() removes.
};

}  // namespace surety::elastic
