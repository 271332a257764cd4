// The attempts of a pool: the passes of each, the current attempt, and those that may continue. The
// belief models their learning (plan/belief/belief.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "plan/belief/stop_metric.h"
#include "plan/choice/pool_rule.h"
#include "plan/choice/pool_spec.h"
#include "plan/pool/learns_nothing.h"
#include "plan/pool/pool_step.h"

namespace surety::plan {

// An attempt with fewer passes does not yet show its final metric.
inline constexpr std::uint32_t kPassesToCompare = 6;

struct PoolAttempt {
  std::uint32_t variant = 0;
  std::uint32_t passes = 0;
  double metric = 0;
  double best = std::numeric_limits<double>::infinity();  // Its least metric so far.
  Fall fall{0};
  bool is_ended = false;  // True if it cannot continue.
  std::uint32_t version = 0;
  std::vector<SeenMetric> in_version{};  // Its last passes, all in the current version.
  bool is_past_best = false;             // More passes would make it worse (past_best.h).
};

struct PoolBest {
  std::uint32_t attempt = 0;
  double metric = 0;
};

class PoolAttempts {
 public:
  // `can_be_past_best`: false if another attempt would end at the same model. Passes that are worse
  // than earlier ones are then no reason to begin one.
  explicit PoolAttempts(bool can_be_past_best = true) : can_be_past_best_(can_be_past_best) {}

  // `version`: the version of the pass's variant. `start`: the metric of an untrained model.
  // REQUIRES: pass.attempt <= size(); a fresh attempt has the next number.
  void on_pass(const PoolPass& pass, std::uint32_t version, double start);
  void on_lost(std::uint32_t attempt);
  void unload() { is_loaded_ = false; }
  // An attempt was loaded and ended before its first pass was complete.
  void on_failed_start(std::uint32_t variant);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const PoolAttempt& operator[](std::uint32_t attempt) const { return all_[attempt]; }
  // The current attempt, that of the last pass. None if it cannot continue.
  [[nodiscard]] std::optional<std::uint32_t> current() const { return current_; }
  // Whether an attempt has at least this many passes.
  [[nodiscard]] bool any_has(std::uint32_t passes) const;
  // The number of attempts that are unlikely to improve on the best metric so far: those past their
  // best or with all their passes, and those that began after the best one and were abandoned. 0
  // while the best attempt itself is current and may continue.
  [[nodiscard]] std::size_t no_better(std::uint32_t passes_max) const;
  // The best metrics of the attempts that show the final metric of attempts: those past their best
  // or with all their passes, and those with at least six passes. O(attempts).
  [[nodiscard]] std::vector<double> bests(std::uint32_t passes_max) const;
  // The least metric ever observed, and its attempt. None before the first pass.
  [[nodiscard]] const std::optional<PoolBest>& best() const { return best_; }

  // Attempts with the best last metrics that may continue: the current one first, then by metric.
  [[nodiscard]] std::vector<PoolCandidate> candidates(std::uint32_t passes_max) const;
  // Attempts that are neither the best one nor among candidates().
  [[nodiscard]] std::vector<std::uint32_t> abandoned(std::uint32_t passes_max) const;
  // The number of attempts of each version. The current attempt counts in part, because it shows
  // little about its version before its third pass.
  [[nodiscard]] std::vector<double> times_tried(const PoolSpec& spec) const;

 private:
  [[nodiscard]] static bool is_over(const PoolAttempt& attempt, std::uint32_t passes_max) {
    return attempt.is_past_best || attempt.passes >= passes_max;
  }

  bool can_be_past_best_;
  std::vector<PoolAttempt> all_;
  std::optional<std::uint32_t> current_;
  std::optional<PoolBest> best_;
  bool is_loaded_ = false;  // Refers to current_.
};

}  // namespace surety::plan
