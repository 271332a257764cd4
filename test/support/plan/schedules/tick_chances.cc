#include "test/support/plan/schedules/tick_chances.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace surety::plan {

double TickChances::total() const { return std::accumulate(chances_.begin(), chances_.end(), 0.0); }

double TickChances::at(std::uint32_t tick) const {
  return tick < first_ || tick - first_ >= chances_.size() ? 0.0 : chances_[tick - first_];
}

TickChances TickChances::within(const TickWindow& window) const {
  TickChances result;
  result.first_ = std::max(first_, window.first);
  for (std::size_t tick = result.first_; tick < first_ + chances_.size(); ++tick) {
    if (tick > window.last) break;
    result.chances_.push_back(chances_[tick - first_]);
  }
  return result;
}

TickChances TickChances::later_by(std::uint32_t ticks) const {
  TickChances result = *this;
  result.first_ += ticks;
  return result;
}

TickChances TickChances::plus(const std::vector<double>& duration, std::uint32_t ticks_max) const {
  const auto shortest = static_cast<std::size_t>(
      std::find_if(duration.begin(), duration.end(), [](double p) { return p > 0; }) -
      duration.begin());
  TickChances result;
  result.first_ = first_ + static_cast<std::uint32_t>(shortest);
  if (chances_.empty() || shortest == duration.size() || result.first_ > ticks_max) return result;
  const std::size_t room = ticks_max - result.first_ + 1;
  result.chances_.assign(std::min(room, chances_.size() + duration.size() - shortest - 1), 0.0);
  for (std::size_t i = 0; i < std::min(chances_.size(), result.chances_.size()); ++i) {
    const std::size_t end = std::min(duration.size() - shortest, result.chances_.size() - i);
    for (std::size_t d = 0; d < end; ++d) {
      result.chances_[i + d] += chances_[i] * duration[shortest + d];
    }
  }
  return result;
}

std::uint32_t TickChances::quantile(double p) const {
  double sum = 0;
  for (std::size_t i = 0; i < chances_.size(); ++i) {
    sum += chances_[i];
    if (sum >= p - kTolerance) return first_ + static_cast<std::uint32_t>(i);
  }
  return first_ + static_cast<std::uint32_t>(chances_.size());
}

bool TickChances::is_no_later_than(const TickChances& other) const {
  const std::size_t end = std::max(first_ + chances_.size(), other.first_ + other.chances_.size());
  double here = 0;
  double there = 0;
  for (std::size_t tick = std::min(first_, other.first_); tick < end; ++tick) {
    here += at(static_cast<std::uint32_t>(tick));
    there += other.at(static_cast<std::uint32_t>(tick));
    if (here < there - kTolerance) return false;
  }
  return true;
}

bool TickChances::is_same_as(const TickChances& other) const {
  return is_no_later_than(other) && other.is_no_later_than(*this);
}

}  // namespace surety::plan
