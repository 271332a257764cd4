// The samples of each worker in the step under way.
//
// A worker that had work in an aborted step has learned from all or part of it
// (worker/state/learned_work.h). So until the next step is committed, it gets the same work again
// if it still owns all of its chunks and none of it was committed meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "elastic/ownership/directory.h"
#include "orchestrator/session/barrier.h"

namespace surety::orchestrator {

// Workers without work are not in the map.
using WorkByWorker = std::map<WorkerId, std::vector<elastic::Work>>;

[[nodiscard]] std::uint64_t samples_of(const std::vector<elastic::Work>& work);

class StepWork {
 public:
  // A step begins. `fresh`: the directory's work for it.
  void begin(WorkByWorker fresh, const elastic::Directory& directory);
  // The work of the last step that began, unless it was aborted or committed.
  [[nodiscard]] const WorkByWorker& given() const { return given_; }
  // The step is void. `is_kept`: workers keep the work that they have learned in it.
  void abort(bool is_kept);
  // Each worker did the first part of its work. Corrupt if a worker claims more than its work.
  // REQUIRES: each worker with work has answered.
  [[nodiscard]] Result<WorkByWorker> done(const Answers& answers) const;
  void commit();

 private:
  WorkByWorker given_;
  WorkByWorker begun_;  // The work of the last step, if that was aborted.
};

}  // namespace surety::orchestrator
