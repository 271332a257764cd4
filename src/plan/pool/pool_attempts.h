// The attempts of a pool: how far each has come, which is in hand, which may go on. Beside the
// belief (belief.h), which knows how they learn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/pool/attempt_pool.h"
#include "plan/pool/learns_nothing.h"
#include "plan/pool/stop_metric.h"

namespace surety::plan {

struct PoolAttempt {
  std::uint32_t variant = 0, passes = 0;
  double metric = 0;
  Fall fall{0};
  bool gone = false;  // It cannot go on.
  std::uint32_t version = 0;
  std::vector<SeenMetric> in_version{};  // Its passes in a row in this version.
  bool is_past_best = false;             // Going on would make it worse (past_best.h).
};

class PoolAttempts {
 public:
  // `version`: of its variant; `start`: the metric of an untrained model. REQUIRES: pass.attempt <=
  // size(); a fresh one has the next number.
  void passed(const PoolPass& pass, std::uint32_t version, double start);
  void lost(std::uint32_t attempt);
  void unload() { is_loaded_ = false; }
  // One that ended before its first pass did was loaded last.
  void came_to_nothing(std::uint32_t variant);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const PoolAttempt& operator[](std::uint32_t attempt) const { return all_[attempt]; }
  // That of the last pass, as long as it may go on.
  [[nodiscard]] std::optional<std::uint32_t> hand() const { return hand_; }
  [[nodiscard]] bool any_has(std::uint32_t passes) const;  // So many at least.
  // How many are not likely to show anything better than the best metric so far: those past their
  // best or with all their passes, and those that began after the best one and were left. None
  // while the best one itself is in hand and goes on.
  [[nodiscard]] std::size_t no_better(std::uint32_t passes_max) const;
  // With the least metric that was ever seen.
  [[nodiscard]] std::optional<std::uint32_t> best() const { return best_; }
  [[nodiscard]] double best_metric() const { return best_metric_; }

  // Those with the best metrics of their time that may go on: the one in hand, then by metric.
  [[nodiscard]] std::vector<PoolHand> hands(std::uint32_t passes_max) const;
  // Neither the best nor a hand.
  [[nodiscard]] std::vector<std::uint32_t> given_up(std::uint32_t passes_max) const;
  // How often each version was tried. The attempt in hand counts in part: it says little before its
  // third pass.
  [[nodiscard]] std::vector<double> times_tried(const PoolSpec& spec) const;

 private:
  std::vector<PoolAttempt> all_;
  std::optional<std::uint32_t> hand_, best_;
  bool is_loaded_ = false;  // hand_.
  double best_metric_ = 0;
};

}  // namespace surety::plan
