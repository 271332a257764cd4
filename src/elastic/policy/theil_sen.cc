#include "elastic/policy/theil_sen.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "elastic/policy/shares.h"

namespace surety::elastic {

double theil_sen_slope(std::span<const Observation> observations) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    for (std::size_t j = i + 1; j < observations.size(); ++j) {
      const double run = observations[j].x - observations[i].x;
      if (run != 0) slopes.push_back((observations[j].y - observations[i].y) / run);
    }
  }
  return median(std::move(slopes));
}

}  // namespace surety::elastic
