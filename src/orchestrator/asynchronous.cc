#include "orchestrator/asynchronous.h"

#include <algorithm>
#include <cmath>

namespace surety::orchestrator {
namespace {

// How many updates make a new model.
std::uint32_t quorum_of(const ModeSpec& mode, std::size_t workers) {
  if (mode.mode != fabric::TrainMode::kBatch) return 1;
  const auto all = static_cast<std::uint32_t>(workers);
  return std::min(all, mode.quorum > 0 ? mode.quorum : std::max(2u, (all + 2) / 3));
}

// Updates that make a model together are averaged. Those that come alone were each learned beside
// all others', which know nothing of it: in full they would add up to a step workers times as long
// as any of them, averaged to one that is as long.
double weight_of(const ModeSpec& mode, std::size_t workers) {
  if (mode.update_weight > 0) return mode.update_weight;
  if (mode.mode == fabric::TrainMode::kBatch) return 1.0 / quorum_of(mode, workers);
  return 1 / std::sqrt(static_cast<double>(workers));
}

}  // namespace

bool is_asynchronous(const ModeSpec& mode, std::size_t workers) {
  return mode.mode != fabric::TrainMode::kSync && workers > 1;
}

proto::Asynchronous asynchronous_of(const ModeSpec& mode, std::size_t workers,
                                    std::uint32_t local_steps) {
  proto::Asynchronous order;
  order.set_mode(static_cast<std::uint32_t>(mode.mode));
  order.set_quorum(quorum_of(mode, workers));
  order.set_ahead(mode.ahead);
  order.set_staleness_max(mode.staleness_max);
  order.set_overlap(mode.overlap);
  order.set_weight(static_cast<float>(weight_of(mode, workers)));
  order.set_steps(local_steps);
  return order;
}

}  // namespace surety::orchestrator
