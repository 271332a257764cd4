// When a pass may go without a checkpoint: they take at most about 2 % of the time.
#pragma once

namespace surety::orchestrator {

class CheckpointPace {
 public:
  // A session has begun.
  void restart() { *this = {}; }
  // Seconds that a pass took, with its evaluation.
  void trained(double seconds) { trained_s_ += seconds; }
  [[nodiscard]] bool may_wait(double now_s) const {
    return next_save_s_ > 0 ? now_s < next_save_s_ : trained_s_ < kFirstSaveAfterS;
  }
  void began(double now_s) { began_s_ = now_s; }
  void saved(double now_s) { next_save_s_ = now_s + kPauseOverSave * (now_s - began_s_); }

 private:
  // After one that took a second, none is written for 49. More would slow down passes that are
  // shorter than a checkpoint; fewer, and a crash costs more of them.
  static constexpr double kPauseOverSave = 49;
  // Before the first one, nobody knows how long it takes: with the usual 50 ms, this makes 2 %. A
  // job that takes no longer has one, at its end.
  static constexpr double kFirstSaveAfterS = 2.5;

  double began_s_ = 0;
  double next_save_s_ = 0;  // A pass that ends before may go without one; 0: none yet.
  double trained_s_ = 0;
};

}  // namespace surety::orchestrator
