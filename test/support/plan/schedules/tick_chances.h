// The distribution, by tick, of the time at which a run with a blind schedule has finished its
// passes.
//
// Durations do not depend on the metric. So after a fixed list of passes the time and the level are
// independent, and this distribution contains everything about the time. Mass that is too late for
// the deadline, or for a pass to begin, is dropped. The sum is the chance of being in time.
#pragma once

#include <cstdint>
#include <vector>

namespace surety::plan {

// The ticks at which passes may begin, both ends included.
struct TickWindow {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

class TickChances {
 public:
  TickChances() = default;  // The distribution without any mass.
  explicit TickChances(std::uint32_t tick) : first_(tick), chances_{1.0} {}

  [[nodiscard]] double total() const;
  [[nodiscard]] double at(std::uint32_t tick) const;
  [[nodiscard]] bool empty() const { return chances_.empty(); }
  [[nodiscard]] std::uint32_t first() const { return first_; }  // REQUIRES: not empty.
  [[nodiscard]] const std::vector<double>& chances() const { return chances_; }

  [[nodiscard]] TickChances within(const TickWindow& window) const;
  [[nodiscard]] TickChances later_by(std::uint32_t ticks) const;
  // The distribution of the sum with an independent duration (chance of d ticks at index d), up to
  // `ticks_max`. O(support * durations).
  [[nodiscard]] TickChances plus(const std::vector<double>& duration,
                                 std::uint32_t ticks_max) const;

  // First tick by which the chance is at least p; one past the last tick if it never is.
  [[nodiscard]] std::uint32_t quantile(double p) const;

  // First-order stochastic dominance, up to kTolerance: at each tick, the chance of a time up to
  // this tick is at least that of the other distribution.
  [[nodiscard]] bool is_no_later_than(const TickChances& other) const;
  [[nodiscard]] bool is_same_as(const TickChances& other) const;

  // Larger than the difference between sums of the same chances in different orders.
  static constexpr double kTolerance = 1e-13;

 private:
  std::uint32_t first_ = 0;
  std::vector<double> chances_;
};

}  // namespace surety::plan
