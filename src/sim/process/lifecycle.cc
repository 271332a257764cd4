#include "sim/process/lifecycle.h"

#include <utility>

namespace surety::sim {

void Lifecycle::soon(Action action) {
  if (has_ended_) return;
  if (is_stalled_) {
    backlog_.push_back(std::move(action));
  } else {
    action();
  }
}

void Lifecycle::after(double seconds, Action action) {
  queue_.after(seconds, [this, action = std::move(action)] { soon(action); });
}

bool Lifecycle::end(bool silently) {
  if (has_ended_) return false;
  has_ended_ = true;
  is_silent_ = silently;
  backlog_.clear();
  return true;
}

void Lifecycle::stall_until(double time_s) {
  is_stalled_ = true;
  queue_.at(time_s, [this, stall = ++stall_] {
    if (stall == stall_) go_on();
  });
}

void Lifecycle::go_on() {
  if (!is_stalled_) return;
  is_stalled_ = false;
  for (Action& action : std::exchange(backlog_, {})) soon(std::move(action));
}

}  // namespace surety::sim
