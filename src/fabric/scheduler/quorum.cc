#include "fabric/scheduler/quorum.h"

#include <algorithm>

#include "base/check.h"

namespace surety::fabric {

Quorum::Quorum(const QuorumOptions& options, std::span<const WorkerId> workers)
    : options_(options) {
  SURETY_CHECK(!(options_.batch && options_.ahead));
  for (const WorkerId worker : workers) workers_.try_emplace(worker);
}

void Quorum::leave(WorkerId worker) {
  SURETY_CHECK(!waiting_.contains(worker));
  workers_.erase(worker);
  close_batch();
}

void Quorum::on_finished(WorkerId worker) {
  Worker& of = workers_.at(worker);
  ++of.clock;
  of.batch = batch_;
  ++finished_;
  close_batch();
}

void Quorum::close_batch() {
  if (finished_ == 0 || finished_ < needed()) return;
  ++batch_;
  finished_ = 0;
}

void Quorum::wait(WorkerId worker) {
  SURETY_CHECK(workers_.contains(worker));
  SURETY_CHECK(waiting_.insert(worker).second);
}

std::uint32_t Quorum::needed() const {
  if (!options_.batch) return 0;
  const auto workers = static_cast<std::uint32_t>(workers_.size());
  return std::max(1u, std::min(*options_.batch, workers));
}

std::vector<WorkerId> Quorum::release() {
  if (waiting_.empty()) return {};
  std::uint64_t slowest = workers_.begin()->second.clock;
  if (options_.ahead) {
    for (const auto& [worker, of] : workers_) slowest = std::min(slowest, of.clock);
  }
  std::vector<WorkerId> released;
  for (const WorkerId worker : waiting_) {
    const Worker& of = workers_.at(worker);
    const bool may =
        options_.ahead ? of.clock - slowest <= *options_.ahead : (!of.batch || *of.batch < batch_);
    if (may) released.push_back(worker);
  }
  for (const WorkerId worker : released) waiting_.erase(worker);
  return released;
}

}  // namespace surety::fabric
