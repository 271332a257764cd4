// The life of a simulated process.
//
//   running -> stalled -> running;  running or stalled -> ended
//
// Events of a stalled process wait until the stall ends, and are then handled in the order of their
// arrival. Events of a process that has ended are ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/network/event_queue.h"

namespace surety::sim {

class Lifecycle {
 public:
  using Action = std::function<void()>;
  // `queue` must outlive this.
  explicit Lifecycle(EventQueue& queue) : queue_(queue) {}

  [[nodiscard]] bool runs() const { return !has_ended_; }  // A stalled process counts as running.
  [[nodiscard]] bool is_stalled() const { return is_stalled_; }
  // Whether it has ended together with its machine, so that its connections are not closed.
  [[nodiscard]] bool is_silent() const { return is_silent_; }

  // Runs the action now, or when the stall ends.
  void soon(Action action);
  // Runs the action after this number of seconds. If the process is stalled then, the action runs
  // when the stall ends.
  void after(double seconds, Action action);

  // Returns false if the process had already ended.
  bool end(bool silently);
  // A later call replaces the time of an earlier one.
  void stall_until(double time_s);
  void go_on();

 private:
  EventQueue& queue_;
  bool has_ended_ = false;
  bool is_silent_ = false;
  bool is_stalled_ = false;
  std::uint64_t stall_ = 0;  // Number of the last stall_until().
  std::vector<Action> backlog_;
};

}  // namespace surety::sim
