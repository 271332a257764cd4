// The clock of the coordinator's machine, which may jump forwards, and its alarm.
//
//   stopped -> set -> ringing -> stopped;  set -> stopped
//
// Time passes between two readings of a clock. So after a ring, the next ring is at least a
// millisecond later. A jump does not move an alarm that is set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/network/event_queue.h"

namespace surety::sim {

class AlarmClock {
 public:
  // `ring` is called when the alarm rings. `queue` must outlive this.
  AlarmClock(EventQueue& queue, std::function<void()> ring);

  // The time that the clock shows, in seconds.
  [[nodiscard]] double now_s() const { return queue_.now_s() + ahead_s_; }
  void jump(double seconds) { ahead_s_ += seconds; }

  // Rings as soon as the clock shows this time. If it is already set to an earlier time, this call
  // has no effect: the function that is called then may set it again.
  void set(double time_s);
  void stop() {
    ++stops_;
    rings_at_s_.reset();
  }

 private:
  EventQueue& queue_;
  std::function<void()> ring_;
  double ahead_s_ = 0;
  // Both are times of the queue.
  std::optional<double> rings_at_s_;  // Present while the alarm is set.
  std::optional<double> rang_at_s_;   // The time of the last ring.
  // Number of stops. Alarms that were set before the last stop do not ring.
  std::uint64_t stops_ = 0;
};

}  // namespace surety::sim
