#include "fabric/scheduler/quorum.h"

#include <algorithm>

#include "base/check.h"

namespace surety::fabric {

void Quorum::join(HostId worker) {
  // A new worker starts with the clock of the slowest one; otherwise all others would wait until it
  // catches up.
  std::uint64_t slowest = workers_.empty() ? 0 : workers_.begin()->second.clock;
  for (const auto& [other, of] : workers_) slowest = std::min(slowest, of.clock);
  workers_.try_emplace(worker, Worker{.clock = slowest});
}

void Quorum::leave(HostId worker) {
  SURETY_CHECK(!waiting_.contains(worker));
  workers_.erase(worker);
  close_batch();
}

void Quorum::on_finished(HostId worker) {
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

void Quorum::wait(HostId worker) {
  SURETY_CHECK(workers_.contains(worker));
  SURETY_CHECK(waiting_.insert(worker).second);
}

std::uint32_t Quorum::needed() const {
  const auto workers = static_cast<std::uint32_t>(workers_.size());
  switch (options_.mode) {
    case TrainMode::kAsync:
    case TrainMode::kBoundedStaleness:
      return 0;
    case TrainMode::kBatch:
      return std::max(1u, std::min(options_.batch, workers));
  }
  return 0;
}

std::vector<HostId> Quorum::release() {
  if (waiting_.empty()) return {};
  const bool bounded = options_.mode == TrainMode::kBoundedStaleness;
  std::uint64_t slowest = workers_.empty() ? 0 : workers_.begin()->second.clock;
  if (bounded) {
    for (const auto& [worker, of] : workers_) slowest = std::min(slowest, of.clock);
  }
  std::vector<HostId> released;
  for (const HostId worker : waiting_) {
    const Worker& of = workers_.at(worker);
    const bool may =
        bounded ? of.clock <= slowest + options_.ahead : (!of.batch || *of.batch < batch_);
    if (may) released.push_back(worker);
  }
  for (const HostId worker : released) waiting_.erase(worker);
  return released;
}

}  // namespace surety::fabric
