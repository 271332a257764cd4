// Whether the last decisions agree that a promise can be made, or that it is hopeless. A single
// decision neither states nor refuses a promise (streak.h).
#pragma once

#include "plan/pool/streak.h"

namespace surety::plan {

class Agreement {
 public:
  // A decision was made. `hopeful`: it would state the promise. `hopeless`: it would refuse it.
  void count(bool hopeful, bool hopeless) {
    hopeful_.count(hopeful);
    hopeless_.count(hopeless);
  }
  [[nodiscard]] bool states() const { return hopeful_.is_long(); }
  [[nodiscard]] bool refuses() const { return hopeless_.is_long(); }

 private:
  Streak hopeful_;
  Streak hopeless_;
};

}  // namespace surety::plan
