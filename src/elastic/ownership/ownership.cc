#include "elastic/ownership/ownership.h"

#include <algorithm>

#include "base/check.h"

namespace surety::elastic {

std::vector<Work> first_of(std::span<const Work> work, std::uint64_t samples) {
  std::vector<Work> first;
  for (const Work& piece : work) {
    if (samples == 0) break;
    first.push_back(piece);
    first.back().count = static_cast<std::uint32_t>(std::min<std::uint64_t>(piece.count, samples));
    samples -= first.back().count;
  }
  SURETY_CHECK(samples == 0);
  return first;
}

}  // namespace surety::elastic
