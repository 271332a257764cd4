// The person who has started a simulated run. A run that failed is resumed from its journal, a
// number of times. So is one whose data was damaged, after the data was restored.
#pragma once

#include <cstdint>

#include "orchestrator/job/job_events.h"

namespace surety::sim {

class User {
 public:
  // `resumes_max`: how often a run is resumed after a failure. Crashes do not count.
  explicit User(std::uint32_t resumes_max) : resumes_left_(resumes_max) {}

  // The run has ended like this; true means that the user resumes it.
  [[nodiscard]] bool resumes(const orchestrator::Finish& finish) {
    using orchestrator::Ending;
    const bool failed = finish.ending == Ending::kFailed || finish.ending == Ending::kBadInput ||
                        finish.ending == Ending::kTakenOver;
    if (!failed || resumes_left_ == 0) return false;
    --resumes_left_;
    return true;
  }

 private:
  std::uint32_t resumes_left_;
};

}  // namespace surety::sim
