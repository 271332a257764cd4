#include "orchestrator/session/asynchronous.h"

#include <algorithm>

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace {

// The number of updates that make a new model. REQUIRES: mode batch.
std::uint32_t batch_of(const job::ModeSpec& mode, std::size_t workers) {
  const auto all = static_cast<std::uint32_t>(workers);
  return std::min(all, mode.quorum.value_or(std::max(2u, (all + 2) / 3)));
}

// Workers compute their updates in parallel, each without the updates of the others. With weight 1
// the updates would add up to a step `workers` times as long as any of them; their average is a
// step as long as one. With momentum 0.9 even weights of 1 / sqrt(workers), or averages over a
// quorum alone, learn far worse.
double weight_of(const job::ModeSpec& mode, std::size_t workers) {
  return mode.update_weight.value_or(1 / static_cast<double>(workers));
}

}  // namespace

bool is_asynchronous(const job::ModeSpec& mode, std::size_t workers) {
  return mode.mode != job::TrainMode::kSync && workers > 1;
}

proto::Asynchronous asynchronous_of(const job::ModeSpec& mode, std::size_t workers,
                                    std::uint32_t local_steps) {
  proto::Asynchronous order;
  if (mode.mode == job::TrainMode::kBatch) order.set_batch(batch_of(mode, workers));
  if (mode.mode == job::TrainMode::kBoundedStaleness) order.set_ahead(mode.ahead);
  if (mode.staleness_max) order.set_staleness_max(*mode.staleness_max);
  order.set_overlap(mode.overlap);
  order.set_weight(static_cast<float>(weight_of(mode, workers)));
  order.set_steps(local_steps);
  return order;
}

proto::Asynchronous asynchronous_pass_of(const job::ModeSpec& mode, std::size_t workers,
                                         std::uint64_t samples) {
  const std::uint64_t updates = std::uint64_t{mode.updates} * workers;
  const std::uint64_t each = std::max<std::uint64_t>(1, (samples + updates - 1) / updates);
  proto::Asynchronous order = asynchronous_of(
      mode, workers, static_cast<std::uint32_t>(std::min<std::uint64_t>(each, UINT32_MAX)));
  order.set_weight(1);
  return order;
}

}  // namespace surety::orchestrator
