// Feedback-driven scale-in for CoCoA: with how many workers to go on, given how the gap falls.
//
// The more partitions, the sooner an iteration ends and the less it achieves; the smaller the gap,
// the more the second outweighs the first, so that the best number of workers falls in the course
// of training (Kaufmann, Kourtis, "Elastic CoCoA: Scaling In to Improve Convergence", 2018).
//
// Method: the rate of a number of workers is the slope of -ln(gap) over seconds (or over
// node-seconds) in a window of its iterations: the median of the slopes between all pairs (Theil
// 1950, Sen 1968), which no single bad iteration moves. A window lasts until ln(gap) has fallen so
// far that the jitter of single gaps no longer decides. Once it is full, half as many workers are
// tried for a window. If their rate is no worse they stay, as fewer cost less, and half of them are
// tried next; if it is worse, the larger number comes back.
//
// Tries that fail cost time, and where more workers are better to the end all of them fail. So
// they share a budget: a part of the time spent so far. What a try is going to lose is taken to be
// what the last one to that number lost. A try that is clearly bad ends before its window is full.
//
// Rates fall as the gap falls, so the later of two windows looks worse than it is: a half that is
// accepted is better in spite of that.
//
// Updates that are added safely are another matter (`least_first`). Each of K workers then is K
// times as careful, and so all of them together hardly do more than one alone would: the rate is
// about the same from the largest number down to two, and one, who need not be careful, may be far
// better. Halves meet that flat valley, see nothing in it, and turn back. So the least number is
// tried at once, as soon as the rate has sunk: while it has not, nothing is wrong with many. Such a
// try is long, and so it is judged by the rate that the larger number would have come down to by
// then, as the trend of its own rate says; and not by its first iteration, in which one worker
// undoes what the careful ones did. One that failed is repeated when the time has doubled.
//
// Pure; not concerned with who the workers are.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace surety::elastic {

// Of one point in time and value.
struct Observation {
  double x = 0;
  double y = 0;
};

// The median slope between all pairs with different x. REQUIRES: two of them. O(n^2 log n).
[[nodiscard]] double theil_sen_slope(std::span<const Observation> observations);

struct ScaleInOptions {
  std::uint32_t workers_min = 1;
  // A window has at least so many iterations, and lasts until ln(gap) has fallen by `fall` or it
  // has window_max. Doubled, tries are surer and cost twice as much.
  std::uint32_t window = 4, window_max = 24;
  double fall = 0.3;
  bool per_cost = false;  // Rate per node-second: least cost. Else per second: least time.
  double spend = 0.03;    // Of the time so far may be lost in tries that fail.
  double loss = 0.25;  // A first try is expected to lose this part of its time; of cost, nothing.
  double hopeless = 0.6;  // A try with less than this part of the rate before ends at once.
  // Updates are added safely: workers_min is tried first, once the rate has sunk to this part of
  // its best. More, and tries come before the curves have bent; less, and time is lost.
  bool least_first = false;
  double sunk = 0.7;
};

class ScaleIn {
 public:
  ScaleIn(std::uint32_t workers, ScaleInOptions options);

  // An iteration of `seconds` with workers() workers left this gap. Returns whether workers() is
  // another number now. Ignored: a gap that is not positive and finite.
  bool observe(double gap, double seconds);
  [[nodiscard]] std::uint32_t workers() const { return workers_; }
  // So many may be needed again: more are not. workers(), or what would come back after a try.
  [[nodiscard]] std::uint32_t kept() const { return phase_ == Phase::kSteady ? workers_ : before_; }
  // An iteration with another number, on the way to workers(): its time counts, its rate does not.
  void pass_by(double gap, double seconds);
  // Nodes came or went: at most so many from now on, learned anew.
  void limit(std::uint32_t workers);
  // Why workers() is what it is, for the log.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The last rate of each number that had a full window.
  [[nodiscard]] const std::map<std::uint32_t, double>& rates() const { return rates_; }

 private:
  // kSteady -> kTrying (half as many) or kTryingLeast (workers_min) -> kSteady (with either).
  enum class Phase : std::uint8_t { kSteady, kTrying, kTryingLeast };

  [[nodiscard]] double fallen() const { return window_.back().y - window_.front().y; }
  [[nodiscard]] double depth() const { return (window_.back().y + window_.front().y) / 2; }
  [[nodiscard]] double iteration_s() const;
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] double rate_expected() const;
  [[nodiscard]] double expected_loss(std::uint32_t fewer) const;
  [[nodiscard]] bool is_time_for_least(double rate_now) const;
  void remember(double rate_now);
  bool try_fewer(double rate_now);
  bool begin(Phase phase, std::uint32_t fewer, double rate_now);
  bool judge(double rate_now);
  bool change_to(std::uint32_t workers);

  ScaleInOptions options_;
  std::uint32_t workers_;
  Phase phase_ = Phase::kSteady;
  std::uint32_t before_ = 0;         // In a try: the number that would come back,
  double rate_before_ = 0;           // its rate,
  double depth_before_ = 0;          // and -ln(gap) in the middle of the window of that rate.
  double began_ = 0;                 // The clock at its start.
  bool is_settling_ = false;         // Its first iteration, which does not count.
  double clock_ = 0;                 // Seconds, or node-seconds, so far.
  double lost_ = 0;                  // Of these, in tries that failed.
  std::vector<Observation> window_;  // Since the last change; the first one is where it began.
  std::map<std::uint32_t, double> rates_;
  std::map<std::uint32_t, double> losses_;  // By number that failed: the part of its time lost.
  std::vector<Observation> course_;         // Of workers_: ln(rate) at -ln(gap), of full windows.
  double rate_best_ = 0;                    // Of any number.
  double least_failed_ = 0;                 // The clock then; 0: it never has.
  std::string reason_ = "as many as there are";
};

}  // namespace surety::elastic
