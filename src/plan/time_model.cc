#include "plan/time_model.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "plan/statistics.h"

namespace surety::plan {
namespace {

constexpr double kSecondsMin = 1e-6;  // A clock may say 0; a pass never takes nothing.
constexpr double kLogSdMax = 1.5;     // A factor 4.5: more says that the clock was wrong.

}  // namespace

PassTime fit_pass_time(const std::vector<const ProfileRun*>& runs) {
  std::vector<double> seconds, evaluations;
  for (const ProfileRun* run : runs) {
    for (const CurvePoint& point : run->points) {
      evaluations.push_back(point.eval_seconds);
      if (point.pass == 0 || point.workers != run->workers) continue;
      seconds.push_back(std::max(point.seconds, kSecondsMin));
    }
  }
  SURETY_CHECK(!seconds.empty());
  PassTime time;
  time.pass_s = median(seconds);
  time.nodes = runs[0]->workers;
  time.eval_s = median(evaluations);
  // Passes that stall belong in the spread, so it is the root mean square around the median.
  double square_sum = 0;
  for (const double s : seconds) square_sum += std::pow(std::log(s / time.pass_s), 2);
  const double degrees = std::max(1.0, static_cast<double>(seconds.size()) - 1);
  time.log_sd = std::min(std::sqrt(square_sum / degrees), kLogSdMax);
  return time;
}

PassTime scaled(PassTime time, double factor) {
  time.pass_s *= factor;
  return time;
}

}  // namespace surety::plan
