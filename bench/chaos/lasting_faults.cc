#include "lasting_faults.h"

#include <algorithm>
#include <utility>

namespace surety::bench {

std::vector<LastingFault> LastingFaults::take_over_by(Time now) {
  std::vector<LastingFault> over;
  std::vector<LastingFault> lasting;
  for (const LastingFault& fault : faults_) (fault.until > now ? lasting : over).push_back(fault);
  faults_ = std::move(lasting);
  std::vector<LastingFault> undone;
  for (const LastingFault& fault : over) {
    const auto is_same = [&](const LastingFault& other) { return other.is_same(fault); };
    if (std::ranges::none_of(faults_, is_same) && std::ranges::none_of(undone, is_same)) {
      undone.push_back(fault);
    }
  }
  return undone;
}

bool LastingFaults::lasts(FaultKind kind) const {
  return std::ranges::any_of(faults_,
                             [kind](const LastingFault& fault) { return fault.kind == kind; });
}

}  // namespace surety::bench
