#include "elastic/ownership/resting.h"

#include <algorithm>

namespace surety::elastic {

std::set<WorkerId> resting(std::span<const WorkerId> staying,
                           const std::map<WorkerId, std::uint64_t>& bytes, std::uint32_t working,
                           std::uint64_t bytes_max) {
  std::set<WorkerId> result;
  const std::size_t kept = std::max(working, 1u);
  // Compares quotients, because a product with the largest possible bytes_max would overflow.
  const auto fits = [&](std::uint64_t sent) { return (sent + kept - 1) / kept <= bytes_max; };
  std::uint64_t moved = 0;
  for (std::size_t i = staying.size(); i-- > kept;) {
    const auto owned = bytes.find(staying[i]);
    const std::uint64_t more = owned == bytes.end() ? 0 : owned->second;
    if (more > 0 && moved > 0 && !fits(moved + more)) continue;
    moved += more;
    result.insert(staying[i]);
  }
  return result;
}

}  // namespace surety::elastic
