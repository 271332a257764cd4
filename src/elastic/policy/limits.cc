#include "elastic/policy/limits.h"

#include <fmt/format.h>

#include <utility>

#include "elastic/policy/shares.h"

namespace surety::elastic {

std::optional<std::string> Limits::observe(const IterationTimes& iteration) {
  const bool has_chunks_for_more = iteration.workers < iteration.chunks;
  if (iteration.workers > 1 && !has_chunks_for_more && !std::exchange(reported_chunks_, true)) {
    return fmt::format(
        "{} workers have one chunk each: more workers would have none (a smaller train.chunk_bytes "
        "gives more chunks)",
        iteration.workers);
  }
  return observe_sync(iteration);
}

std::optional<std::string> Limits::observe_sync(const IterationTimes& iteration) {
  if (reported_sync_ || iteration.workers < 2) return std::nullopt;
  if (iteration.workers != workers_) {
    workers_ = iteration.workers;
    compute_s_.clear();
    sync_s_.clear();
  }
  compute_s_.push_back(iteration.compute_s);
  sync_s_.push_back(iteration.sync_s);
  if (compute_s_.size() < kWindow) return std::nullopt;
  const double compute_s = median(std::exchange(compute_s_, {}));
  const double sync_s = median(std::exchange(sync_s_, {}));
  if (sync_s <= compute_s) return std::nullopt;
  reported_sync_ = true;
  return fmt::format(
      "an iteration of {} workers computes for {:.3g} s and synchronises for {:.3g} s: more "
      "workers would save little time",
      iteration.workers, compute_s, sync_s);
}

}  // namespace surety::elastic
