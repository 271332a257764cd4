#include "plan/support.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {

std::uint32_t fewest_seeds(const Laws& laws) {
  return std::ranges::min_element(laws.versions, {}, &VersionLaw::seeds)->seeds;
}

double most_supported(std::uint32_t seeds) { return seeds > 0 ? std::pow(0.5, 1.0 / seeds) : 0; }

std::uint32_t seeds_to_support(double probability) { return seeds_needed(probability, 0.5); }

std::uint32_t seeds_needed(double probability, double confidence) {
  SURETY_CHECK(probability > 0 && probability < 1 && confidence > 0 && confidence < 1);
  const double seeds = std::ceil(std::log(1 - confidence) / std::log(probability) - 1e-9);
  return static_cast<std::uint32_t>(std::clamp(seeds, 1.0, 1e9));
}

}  // namespace surety::plan
