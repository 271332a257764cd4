#include "fabric/core/quorum.h"

#include <algorithm>

#include "base/check.h"

namespace surety::fabric {

const char* name_of(TrainMode mode) {
  switch (mode) {
    case TrainMode::kAsync:
      return "async";
    case TrainMode::kBoundedStaleness:
      return "bounded staleness";
    case TrainMode::kBatch:
      return "batch";
    case TrainMode::kSync:
      return "sync";
  }
  return "?";
}

void Quorum::join(HostId worker) {
  // A newcomer starts level with the slowest, or all others would wait for it to catch up.
  std::uint64_t slowest = 0;
  for (const auto& [other, clock] : clocks_) {
    slowest = other == clocks_.begin()->first ? clock : std::min(slowest, clock);
  }
  clocks_.try_emplace(worker, slowest);
}

void Quorum::leave(HostId worker) {
  clocks_.erase(worker);
  waiting_.erase(worker);
}

void Quorum::finished(HostId worker) {
  const auto clock = clocks_.find(worker);
  if (clock == clocks_.end()) return;  // It left while its update was on the way.
  ++clock->second;
  ++finished_;
}

void Quorum::wait(HostId worker) {
  SURETY_CHECK(clocks_.contains(worker));
  SURETY_CHECK(waiting_.insert(worker).second);
}

std::uint32_t Quorum::needed() const {
  const auto workers = static_cast<std::uint32_t>(clocks_.size());
  switch (options_.mode) {
    case TrainMode::kAsync:
    case TrainMode::kBoundedStaleness:
      return 0;
    case TrainMode::kBatch:
      return std::max(1u, std::min(options_.batch, workers));
    case TrainMode::kSync:
      return std::max(1u, workers);
  }
  return 0;
}

Quorum::Release Quorum::release() {
  Release release;
  if (waiting_.empty()) return release;
  if (options_.mode == TrainMode::kBoundedStaleness) {
    std::uint64_t slowest = clocks_.begin()->second;
    for (const auto& [worker, clock] : clocks_) slowest = std::min(slowest, clock);
    for (const HostId worker : waiting_) {
      if (clocks_.at(worker) <= slowest + options_.ahead) release.workers.push_back(worker);
    }
    release.reason = ReleaseReason::kWithinBound;
  } else if (finished_ >= needed() || waiting_.size() == clocks_.size()) {
    release.workers.assign(waiting_.begin(), waiting_.end());
    release.reason = finished_ >= needed() ? ReleaseReason::kQuorum : ReleaseReason::kAllWait;
    finished_ = 0;
  }
  for (const HostId worker : release.workers) waiting_.erase(worker);
  return release;
}

void LocalWork::step_done() {
  SURETY_CHECK(may_compute());
  ++unsent_;
}

std::uint32_t LocalWork::seal() {
  SURETY_CHECK(unsent_ > 0);
  const std::uint32_t steps = unsent_;
  unsent_ = 0;
  return steps;
}

}  // namespace surety::fabric
