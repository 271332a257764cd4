#include "plan/check/own_forecast.h"

#include <algorithm>
#include <cmath>

namespace surety::plan::check {

OwnForecast::OwnForecast(const plan::Claims& claims, std::uint32_t runs)
    : claims_(claims), weight_(1.0 / runs), bands_(claims.bands.size()) {}

// `low` and `high`: the value, up to the rounding of times.
void OwnForecast::count(double claim, double low, double high, Shares& shares) const {
  const double slack = kSlack * std::abs(claim);
  if (high < claim - slack) shares.below += weight_;
  if (low <= claim + slack) shares.up_to += weight_;
}

void OwnForecast::add(const Course& course) {
  count(claims_.cost_95, course.cost, course.cost, cost_95_);
  count(claims_.seconds_95, course.seconds, course.seconds, seconds_95_);
  // A pass may end at the very time of a band. Then the metrics before and after it are both right.
  static constexpr double kRounding = 1e-9;
  std::size_t early = 0;
  std::size_t late = 0;
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    const plan::Band& band = claims_.bands[i];
    const auto advance = [&](std::size_t& at, double seconds) {
      while (at + 1 < course.seen.size() && course.seen[at + 1].seconds <= seconds) ++at;
      return course.seen[at].metric;
    };
    const double before = advance(early, band.seconds * (1 - kRounding));
    const double after = advance(late, band.seconds * (1 + kRounding));
    const double low = std::min(before, after);
    const double high = std::max(before, after);
    count(band.q05, low, high, bands_[i][0]);
    count(band.q50, low, high, bands_[i][1]);
    count(band.q95, low, high, bands_[i][2]);
  }
}

}  // namespace surety::plan::check
