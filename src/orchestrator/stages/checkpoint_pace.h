// Decides when a pass may end without a checkpoint, so that checkpoints take at most about 2 % of
// the time.
#pragma once

#include <algorithm>
#include <optional>

namespace surety::orchestrator {

// The seconds until the time is used up, or the money for nodes that cost this much.
[[nodiscard]] inline double seconds_to_end(double seconds_left, std::optional<double> money_left,
                                           double price_per_s) {
  if (!money_left || price_per_s <= 0) return seconds_left;
  return std::min(seconds_left, std::max(*money_left, 0.0) / price_per_s);
}

class CheckpointPace {
 public:
  // To be called when a session begins.
  void restart() { *this = {}; }
  // Seconds that a pass took, its evaluation included.
  void on_trained(double seconds) {
    trained_s_ += seconds;
    last_pass_s_ = seconds;
  }
  // `seconds_left`: the time until training must end (seconds_to_end()). If the next pass may end
  // too late, the model must be saved now, because otherwise it could not be certified.
  [[nodiscard]] bool may_wait(double now_s, double seconds_left) const {
    if (seconds_left < kPassesToDeadline * last_pass_s_) return false;
    return next_save_s_ ? now_s < *next_save_s_ : trained_s_ < kFirstSaveAfterS;
  }
  // Whether little time was used for checkpoints, so that a good model of an attempt that jumps may
  // be saved before its time.
  [[nodiscard]] bool may_hurry() const { return saving_s_ < kHurryS; }
  void on_began(double now_s) { began_s_ = now_s; }
  void on_saved(double now_s) {
    saving_s_ += now_s - began_s_;
    next_save_s_ = now_s + kPauseOverSave * (now_s - began_s_);
  }

 private:
  // After a checkpoint that took 1 s, none is written for 49 s. A shorter pause would slow down
  // passes that are shorter than a checkpoint; a longer one would lose more passes in a crash.
  static constexpr double kPauseOverSave = 49;
  // Before the first checkpoint its duration is not known. With the usual 50 ms, this value makes 2
  // %. A job that trains for at most this time has one checkpoint, at its end.
  static constexpr double kFirstSaveAfterS = 2.5;
  // A pass may take twice as long as the one before it.
  static constexpr double kPassesToDeadline = 2;

  // Without this, an attempt that takes a second would have one checkpoint, at its end, and the
  // best model of a linear model on unscaled features would be lost.
  static constexpr double kHurryS = 0.5;

  double began_s_ = 0;
  double saving_s_ = 0;  // The time of all checkpoints.
  // A pass that ends before this time needs no checkpoint. Set when the first checkpoint was
  // written.
  std::optional<double> next_save_s_;
  double trained_s_ = 0;
  double last_pass_s_ = 0;
};

}  // namespace surety::orchestrator
