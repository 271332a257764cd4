// The faults that last for a while, and must be undone at their times.
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

  // Whether undoing one of the two would also undo the other, because both have the same kind,
  // worker and host.
  [[nodiscard]] bool is_same(const LastingFault& other) const {
    return kind == other.kind && pid == other.pid && host == other.host;
  }
};

class LastingFaults {
 public:
  void add(const LastingFault& fault) { faults_.push_back(fault); }
  // Removes the faults that are over. Returns those of them that must be undone now, in the order
  // in which they began. If a fault overlaps with another one of the same kind, worker and host,
  // both are undone once, when both are over.
  [[nodiscard]] std::vector<LastingFault> take_over_by(Time now);
  // The same for all faults, as if all were over.
  [[nodiscard]] std::vector<LastingFault> take_all() { return take_over_by(Time::max()); }
  [[nodiscard]] bool lasts(FaultKind kind) const;

 private:
  std::vector<LastingFault> faults_;
};

}  // namespace surety::bench
