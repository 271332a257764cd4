// Compares a plan's forecast with simulated runs: the position of each claimed quantile among the
// runs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace surety::plan::check {

// Shares of the runs whose value is below a claimed quantile, and at or below it.
struct Shares {
  double below = 0;
  double up_to = 0;
};

// The observations of a run until it stopped.
struct Course {
  struct Seen {
    double seconds = 0;
    double metric = 0;
  };
  std::vector<Seen> seen;  // The start, and the end of each pass; ascending times.
  double seconds = 0;      // Until the end, certification included.
  double cost = 0;
};

class OwnForecast {
 public:
  // Differences up to this share of a claim count as rounding.
  static constexpr double kSlack = 1e-3;

  // REQUIRES: the claims outlive it; runs > 0.
  OwnForecast(const plan::Claims& claims, std::uint32_t runs);

  // Counts one of the runs. O(bands + passes).
  void add(const Course& course);

  [[nodiscard]] const Shares& cost_95() const { return cost_95_; }
  [[nodiscard]] const Shares& seconds_95() const { return seconds_95_; }
  // The shares for q05, q50 and q95 of each band.
  [[nodiscard]] const std::vector<std::array<Shares, 3>>& bands() const { return bands_; }

 private:
  void count(double claim, double low, double high, Shares& shares) const;

  const plan::Claims& claims_;
  double weight_;
  Shares cost_95_;
  Shares seconds_95_;
  std::vector<std::array<Shares, 3>> bands_;
};

}  // namespace surety::plan::check
