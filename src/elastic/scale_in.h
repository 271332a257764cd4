// Feedback-driven scale-in for CoCoA: with how many workers to go on, given how the gap falls.
//
// The more partitions, the sooner an iteration ends and the less it achieves; the smaller the gap,
// the more the second outweighs the first, so that the best number of workers falls in the course
// of training (Kaufmann, Kourtis, "Elastic CoCoA: Scaling In to Improve Convergence", 2018).
//
// Method: the rate of a number of workers is the slope of -ln(gap) over seconds (or over
// node-seconds) in a window of its iterations: the median of the slopes between all pairs (Theil
// 1950, Sen 1968), which no single bad iteration moves. Once the window is full, half as many
// workers are tried for a window. If their rate is better they stay, and half of them are tried
// next; if not, the larger number comes back and there is another try later, after twice as many
// iterations as the last time, or when the rate has fallen to a part of what it was.
//
// Rates fall as the gap falls, so the later of two windows looks worse than it is: a try must be
// better in spite of that.
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
  std::uint32_t window = 4;  // Iterations. Doubled, tries are twice as sure and cost twice as much.
  bool per_cost = false;     // Rate per node-second: least cost. Else per second: least time.
  double gain_min = 0.02;    // A smaller number that is better by this stays.
  std::uint32_t wait = 8;    // Iterations until the next try after one that failed; then doubled.
  double fall = 0.6;         // Or when the rate is this part of what it was then.
};

class ScaleIn {
 public:
  ScaleIn(std::uint32_t workers, ScaleInOptions options);

  // An iteration of `seconds` with workers() workers left this gap. Returns whether workers() is
  // another number now. Ignored: a gap that is not positive and finite.
  bool observe(double gap, double seconds);
  [[nodiscard]] std::uint32_t workers() const { return workers_; }
  // Nodes came or went: at most so many from now on, learned anew.
  void limit(std::uint32_t workers);
  // Why workers() is what it is, for the log.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The last rate of each number that had a full window.
  [[nodiscard]] const std::map<std::uint32_t, double>& rates() const { return rates_; }

 private:
  // kSteady -> kTrying (half as many) -> kSteady (with either).
  enum class Phase : std::uint8_t { kSteady, kTrying };

  [[nodiscard]] double rate() const;
  bool try_fewer(double rate_now);
  bool judge(double rate_now);
  bool change_to(std::uint32_t workers);

  ScaleInOptions options_;
  std::uint32_t workers_;
  Phase phase_ = Phase::kSteady;
  std::uint32_t before_ = 0;     // kTrying: the number that would come back.
  double rate_before_ = 0;       // Its rate, when the try began; kSteady: when the last one failed.
  std::uint32_t next_wait_ = 0;  // After the next try that fails.
  std::uint32_t to_wait_ = 0;    // kSteady: iterations until the next try.
  double clock_ = 0;             // Seconds, or node-seconds, so far.
  std::vector<Observation> window_;  // Since the last change; the first one is where it began.
  std::map<std::uint32_t, double> rates_;
  std::string reason_ = "as many as there are";
};

}  // namespace surety::elastic
