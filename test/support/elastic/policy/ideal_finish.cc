#include "test/support/elastic/policy/ideal_finish.h"

#include "base/check.h"

namespace surety::elastic {

double ideal_finish_s(std::span<const double> costs, double work) {
  SURETY_CHECK(!costs.empty() && work >= 0);
  double per_second = 0;
  for (const double cost : costs) {
    SURETY_CHECK(cost > 0);
    per_second += 1 / cost;
  }
  return work / per_second;
}

}  // namespace surety::elastic
