#include "lasting_faults.h"

#include <algorithm>
#include <utility>

namespace surety::bench {

std::vector<LastingFault> LastingFaults::take_over_by(Time now) {
  std::vector<LastingFault> over;
  std::erase_if(faults_, [&](const LastingFault& fault) {
    if (fault.until > now) return false;
    over.push_back(fault);
    return true;
  });
  return over;
}

std::vector<LastingFault> LastingFaults::take_all() { return std::exchange(faults_, {}); }

bool LastingFaults::lasts(FaultKind kind) const {
  return std::ranges::any_of(faults_,
                             [kind](const LastingFault& fault) { return fault.kind == kind; });
}

}  // namespace surety::bench
