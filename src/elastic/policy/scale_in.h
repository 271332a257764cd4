// Feedback-driven scale-in for CoCoA: chooses the number of workers from the rate at which the gap
// falls.
//
// With more partitions, an iteration takes less time and lowers the gap less. The smaller the gap,
// the more the second effect outweighs the first. So the best number of workers falls in the course
// of training (Kaufmann, Kourtis, "Elastic CoCoA: Scaling In to Improve Convergence", 2018).
//
// Method: the rate of a number of workers is the slope of -ln(gap) over seconds in a window of its
// iterations. It is the median of the slopes between all pairs (Theil 1950, Sen 1968), which a
// single outlier does not change. A window lasts until ln(gap) has
// fallen so far that the jitter of single gaps has little influence. When it is full, half as many
// workers are tried for a window. If their rate is not worse, training continues with them, because
// fewer workers cost less, and half of them are tried next. If it is worse, the larger number is
// restored.
//
// Tries that fail cost time, and if more workers are better to the end, all tries fail. So they
// share a budget: a part of the time spent so far. The expected loss of a try is the loss of the
// last try with the same number. A try that is clearly bad ends before its window is full.
//
// Rates fall as the gap falls, so the later of two windows looks worse than it is. An accepted half
// is better in spite of this disadvantage.
//
// Safely added updates are different (`minimum_first`). Each of K workers then assumes sigma' = K,
// so all of them together achieve hardly more than one alone would. The rate is about the same from
// the largest number down to two. One worker, which assumes sigma' = 1, may be far better. Trying
// halves shows no difference there, and the larger number would be restored. So the least number is
// tried directly, as soon as the rate has fallen. Before that there is no reason for fewer workers.
//
// Such a try is long. So it is compared with the rate to which the larger number would have fallen
// meanwhile, according to the trend of its own rate. The first iteration of the try does not count,
// because in it one worker corrects the cautious steps of many workers. A failed try is repeated
// when the time has doubled.
//
// Pure code. It chooses only the number of workers, not the workers themselves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "elastic/policy/gap_window.h"
#include "elastic/policy/rate_course.h"

namespace surety::elastic {

struct ScaleInOptions {
  std::uint32_t workers_min = 1;
  // A window has at least `window` iterations. It lasts until ln(gap) has fallen by `fall`, or
  // until it has window_max iterations. If these values are doubled, the results of tries are more
  // certain, and tries cost twice as much.
  std::uint32_t window = 4;
  std::uint32_t window_max = 24;
  double fall = 0.3;
  // Part of the time so far that may be lost in tries that fail.
  double lost_time_budget = 0.03;
  // The expected loss of the first try of a number, as a part of its time.
  double lost_time_share = 0.25;
  // A try whose rate is below this part of the expected one ends early.
  double abort_below_ratio = 0.6;
  // For safely added updates: workers_min is tried first, once the rate has fallen to the part
  // `decayed_ratio` of its best value. If `decayed_ratio` is larger, tries begin too early, before
  // the curves bend; if it is smaller, time is lost.
  bool minimum_first = false;
  double decayed_ratio = 0.7;
};

class ScaleIn {
 public:
  ScaleIn(std::uint32_t workers, ScaleInOptions options);

  // An iteration of `seconds` with workers() workers ended with this gap. Returns whether workers()
  // has changed. A gap that is not positive and finite is ignored.
  bool observe(double duality_gap, double seconds);
  [[nodiscard]] std::uint32_t workers() const { return workers_; }
  // Number of workers that may be needed again: workers(), or during a try the number that would be
  // restored.
  [[nodiscard]] std::uint32_t kept() const { return try_ ? try_->before : workers_; }
  // Records an iteration with another number of workers during the change to workers(): its time
  // counts, but its rate does not.
  void observe_transition(double duality_gap, double seconds);
  // Nodes have joined or left: the maximum is `workers` from now on, and all rates are learned
  // anew.
  void limit(std::uint32_t workers);
  // The reason of workers(), for the log.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  // A number of workers that is being tried, in place of a larger one.
  struct Try {
    std::uint32_t before = 0;  // Number of workers that is restored if the try fails.
    double rate_before = 0;    // Their rate when the try began.
    // -ln(gap) in the middle of the window that gave rate_before.
    double depth_before = 0;
    double began = 0;  // clock_ at the start of the try.
    bool is_of_minimum = false;
    // True in the first iteration of a try of workers_min, which does not count.
    bool is_first = false;
  };

  [[nodiscard]] double rate_expected(const Try& current) const;
  [[nodiscard]] double expected_loss(std::uint32_t fewer) const;
  [[nodiscard]] bool is_time_for_minimum(double rate_now) const;
  bool try_fewer(double rate_now);
  bool begin(Try next, std::uint32_t fewer);
  bool judge(const Try& ended, double rate_now);
  bool change_to(std::uint32_t workers);

  ScaleInOptions options_;
  std::uint32_t workers_;
  std::optional<Try> try_;  // Set while fewer workers are tried.
  double clock_ = 0;        // Seconds so far.
  double lost_ = 0;         // The part of clock_ that failed tries have lost.
  GapWindow window_;        // Iterations since the last change.
  // For each number of workers, the last rate that was measured over a full window or in a trial.
  std::map<std::uint32_t, double> rates_;
  // Part of its time that the last failed try lost, by number of workers.
  std::map<std::uint32_t, double> losses_;
  RateCourse course_;                        // Course of the rate of kept().
  double rate_best_ = 0;                     // The best rate of any number.
  std::optional<double> minimum_failed_at_;  // clock_ when a try of workers_min failed last.
  std::string reason_ = "all workers work";
};

}  // namespace surety::elastic
