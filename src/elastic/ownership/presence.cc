#include "elastic/ownership/presence.h"

#include "base/check.h"

namespace surety::elastic {

void WorkerPresence::join(WorkerId worker) {
  const bool is_new = workers_.emplace(worker, Presence::kStaying).second;
  SURETY_CHECK(is_new);
}

void WorkerPresence::leave(WorkerId worker) {
  if (is(worker, Presence::kStaying)) workers_[worker] = Presence::kLeaving;
}

void WorkerPresence::has_no_chunk(WorkerId worker) {
  if (is(worker, Presence::kLeaving)) workers_[worker] = Presence::kDeparted;
}

bool WorkerPresence::lose(WorkerId worker) {
  if (!is(worker, Presence::kStaying) && !is(worker, Presence::kLeaving)) return false;
  workers_[worker] = Presence::kLost;
  return true;
}

std::vector<WorkerId> WorkerPresence::live() const {
  std::vector<WorkerId> live;
  for (const auto& [worker, presence] : workers_) {
    if (presence == Presence::kStaying || presence == Presence::kLeaving) live.push_back(worker);
  }
  return live;
}

bool WorkerPresence::is(WorkerId worker, Presence presence) const {
  const auto it = workers_.find(worker);
  return it != workers_.end() && it->second == presence;
}

std::vector<WorkerId> WorkerPresence::all_that_are(Presence presence) const {
  std::vector<WorkerId> result;
  for (const auto& [worker, present] : workers_) {
    if (present == presence) result.push_back(worker);
  }
  return result;
}

}  // namespace surety::elastic
