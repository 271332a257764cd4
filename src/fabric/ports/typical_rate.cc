#include "fabric/ports/typical_rate.h"

#include <algorithm>

namespace surety::fabric {

std::optional<double> typical_rate(std::vector<double> fastest) {
  std::erase_if(fastest, [](double rate) { return !(rate > 0); });
  if (fastest.empty()) return std::nullopt;
  const auto middle = fastest.begin() + static_cast<std::ptrdiff_t>(fastest.size() / 2);
  std::ranges::nth_element(fastest, middle);
  return *middle;
}

}  // namespace surety::fabric
