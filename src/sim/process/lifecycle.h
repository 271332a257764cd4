// The life of a simulated process.
//
//   running -> stalled -> running;  running or stalled -> ended
//
// What comes to a process that is stalled waits until the stall ends, and happens then in the order
// in which it came. Nothing happens in a process that has ended.
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

  [[nodiscard]] bool runs() const { return !has_ended_; }  // A process that is stalled runs.
  [[nodiscard]] bool is_stalled() const { return is_stalled_; }
  // It has ended with its machine, which closes no connection.
  [[nodiscard]] bool is_silent() const { return is_silent_; }

  // The action happens now, or when the stall ends.
  void soon(Action action);
  // The action happens after so many seconds, or when a stall at that time ends.
  void after(double seconds, Action action);

  // Returns false if it has ended before.
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
