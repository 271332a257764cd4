// The person who has started a simulated run. The user resumes a failed run from its journal, up to
// a number of times. If the data of a run was damaged, the user restores the data and resumes the
// run.
#pragma once

#include <cstdint>

#include "orchestrator/ledger/job_events.h"

namespace surety::sim {

class User {
 public:
  // `resumes_max` is the largest number of resumes after failures. Crashes do not count.
  explicit User(std::uint32_t resumes_max) : resumes_left_(resumes_max) {}

  // The run has ended with this result. Returns true if the user resumes it.
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
