#include "test/support/elastic/policy/ideal_finish.h"

#include "base/check.h"

namespace surety::elastic {

// All workers have the same overhead, so if one of them works, all work.
double ideal_finish_s(std::span<const double> costs, double work, double overhead_s) {
  SURETY_CHECK(!costs.empty() && work >= 0 && overhead_s >= 0);
  if (work == 0) return 0;
  double per_second = 0;
  for (const double cost : costs) {
    SURETY_CHECK(cost > 0);
    per_second += 1 / cost;
  }
  return overhead_s + work / per_second;
}

}  // namespace surety::elastic
