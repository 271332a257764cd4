#include "fabric/scheduler/drops.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::fabric {

std::int64_t slack_of(const Staleness& staleness) {
  SURETY_CHECK(staleness.version_read <= staleness.version_now);
  const auto age = static_cast<double>(staleness.version_now - staleness.version_read);
  const double is_in_flight = staleness.commits_per_s * staleness.transfer_s;
  const double slack = std::floor(static_cast<double>(staleness.bound) - age - is_in_flight);
  return static_cast<std::int64_t>(std::clamp(slack, -1e15, 1e15));
}

void DropGuard::on_dropped(WorkerId worker) {
  const bool is_first = dropped_.insert(worker).second;
  SURETY_CHECK(is_first);
}

}  // namespace surety::fabric
