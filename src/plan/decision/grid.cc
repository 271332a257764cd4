#include "plan/decision/grid.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {

std::vector<double> make_grid(const Setting& setting, std::size_t levels) {
  SURETY_CHECK(levels >= 2);
  // A jump or a bad first pass may raise the metric this high.
  static constexpr double kHeadroom = 1.3;
  double floor = setting.stop_metric;
  double start = setting.stop_metric;
  for (const VersionLaw& law : setting.laws.versions) {
    floor = std::min(floor, law.curve.floor);
    start = std::max(start, law.curve.at(0));
  }
  const double stop = setting.stop_metric;
  if (!(floor < stop) || !(start > stop)) return {};
  const double top = stop + (start - stop) * kHeadroom;
  // Without this, if the target is at the floor, nearly all levels would be there.
  const double base = std::min(floor, stop - 1e-3 * (top - stop));
  const double span = std::log((top - base) / (stop - base));
  std::vector<double> grid;
  for (std::size_t i = 0; i < levels; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(levels - 1);
    grid.push_back(base + (stop - base) * std::exp(span * share));
  }
  grid.front() = stop;
  return grid;
}

}  // namespace surety::plan
