#include "plan/time_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/check.h"
#include "plan/statistics.h"

namespace surety::plan {
namespace {

constexpr double kSecondsMin = 1e-6;  // A clock may say 0; a pass never takes nothing.
constexpr double kLogSdMax = 1.5;     // A factor 4.5: more says that the clock was wrong.

// Least squares of the medians on 1 / workers; where a part comes out negative, the slower bound.
void fit_parts(const std::map<std::uint32_t, double>& median_by_workers, PassTime& time) {
  double n = 0, sx = 0, sxx = 0, sy = 0, sxy = 0, work_max = 0, seconds_max = 0;
  for (const auto& [workers, seconds] : median_by_workers) {
    const double x = 1.0 / workers;
    n += 1, sx += x, sxx += x * x, sy += seconds, sxy += x * seconds;
    work_max = std::max(work_max, seconds * workers);
    seconds_max = std::max(seconds_max, seconds);
  }
  time.compute_s = work_max;
  if (median_by_workers.size() < 2) return;
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  const double offset = (sy - slope * sx) / n;
  if (slope <= 0) {
    time.compute_s = 0;
    time.fixed_s = seconds_max;
  } else if (offset > 0) {
    time.compute_s = slope;
    time.fixed_s = offset;
  }
}

}  // namespace

PassTime fit_pass_time(std::span<const CurvePoint> points) {
  std::map<std::uint32_t, std::vector<double>> by_workers;
  std::vector<double> evaluations;
  for (const CurvePoint& point : points) {
    evaluations.push_back(point.eval_seconds);
    if (point.pass == 0) continue;
    by_workers[point.workers].push_back(std::max(point.seconds, kSecondsMin));
  }
  SURETY_CHECK(!by_workers.empty());
  std::map<std::uint32_t, double> medians;
  std::vector<double> deviations;
  for (const auto& [workers, seconds] : by_workers) {
    const double centre = medians[workers] = median(seconds);
    for (const double s : seconds) deviations.push_back(std::abs(std::log(s / centre)));
  }
  PassTime time;
  fit_parts(medians, time);
  time.speed_max = by_workers.rbegin()->first;
  time.eval_s = median(evaluations);
  // Of half-normal deviations the root mean square is the spread; passes that stall belong in it.
  double square_sum = 0;
  for (const double d : deviations) square_sum += d * d;
  const double degrees =
      std::max<double>(1, static_cast<double>(deviations.size() - by_workers.size()));
  time.log_sd = std::min(std::sqrt(square_sum / degrees), kLogSdMax);
  return time;
}

PassTime scaled(PassTime time, double factor) {
  time.compute_s *= factor;
  time.fixed_s *= factor;
  return time;
}

}  // namespace surety::plan
