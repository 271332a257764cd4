// The faults that last for a while, and are to be undone at their times.
//
// This code is pure: time is an argument.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "faults.h"

namespace surety::bench {

struct LastingFault {
  Time until{};
  FaultKind kind = FaultKind::kStopWorker;
  pid_t pid = 0;           // The worker that is stopped, for kStopWorker.
  std::uint32_t host = 0;  // The host that is cut off, for kCutWorker and kCutCoordinator.
};

class LastingFaults {
 public:
  void add(const LastingFault& fault) { faults_.push_back(fault); }
  // Removes those that are over, and returns them in the order in which they began.
  [[nodiscard]] std::vector<LastingFault> take_over_by(Time now);
  [[nodiscard]] std::vector<LastingFault> take_all();
  [[nodiscard]] bool lasts(FaultKind kind) const;

 private:
  std::vector<LastingFault> faults_;
};

}  // namespace surety::bench
