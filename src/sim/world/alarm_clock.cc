#include "sim/world/alarm_clock.h"

#include <algorithm>
#include <utility>

namespace surety::sim {
namespace {

constexpr double kIntervalMinS = 1e-3;

}  // namespace

AlarmClock::AlarmClock(EventQueue& queue, std::function<void()> ring)
    : queue_(queue), ring_(std::move(ring)) {}

void AlarmClock::set(double time_s) {
  double at_s = time_s - ahead_s_;
  if (rang_at_s_) at_s = std::max(at_s, *rang_at_s_ + kIntervalMinS);
  if (rings_at_s_ && *rings_at_s_ > queue_.now_s() && *rings_at_s_ <= at_s) return;
  rings_at_s_ = at_s;
  queue_.at(at_s, [this, at_s, stops = stops_] {
    if (stops != stops_ || at_s != rings_at_s_) return;
    rings_at_s_.reset();
    rang_at_s_ = queue_.now_s();
    ring_();
  });
}

}  // namespace surety::sim
