#include "sim/check/owners.h"

#include <algorithm>

namespace surety::sim {

void Owners::on_restart(const std::vector<proto::JournalRecord>&) {
  assigned_.clear();
  session_ = 0;
  last_step_ = 0;
}

void Owners::on_command(WorkerId to, const proto::ToWorker& message) {
  if (message.has_prepare()) {
    const proto::Prepare& prepare = message.prepare();
    if (prepare.session() != session_) assigned_.clear();
    session_ = prepare.session();
    session_samples_ = prepare.task().samples();
    std::set<ChunkId>& owned = assigned_[to];
    owned.clear();
    for (const std::uint32_t id : prepare.owned()) owned.insert(ChunkId{id});
  }
  if (!message.has_step()) return;
  for (const proto::WorkItem& item : message.step().items()) {
    if (assigned_[to].contains(ChunkId{item.chunk()})) continue;
    violated(fmt::format("iteration {}: worker {} has work on chunk {}, which it does not own",
                         message.step().iteration(), to, item.chunk()));
  }
  if (message.sequence() != last_step_) on_step(message);
}

void Owners::on_step(const proto::ToWorker& message) {
  last_step_ = message.sequence();
  assigned_at_step_ = assigned_;
  std::map<ChunkId, WorkerId> owner;
  std::uint64_t samples = 0;
  for (const proto::Peer& peer : message.step().members()) {
    for (const ChunkId chunk : assigned_[WorkerId{peer.worker()}]) {
      const auto [other, is_new] = owner.emplace(chunk, WorkerId{peer.worker()});
      samples += samples_[chunk];
      if (is_new) continue;
      violated(fmt::format("iteration {}: chunk {} belongs to workers {} and {}",
                           message.step().iteration(), chunk, other->second, peer.worker()));
    }
  }
  if (samples != session_samples_) {
    violated(fmt::format("iteration {}: the members own {} samples of {}",
                         message.step().iteration(), samples, session_samples_));
  }
}

// An older order, which was under way when a newer one was sent, does no harm, because its answer
// is ignored.
void Owners::on_learning(WorkerId worker, const Held& held, const proto::ToWorker& order) {
  if (order.sequence() != last_step_) return;
  const std::set<ChunkId>& owned = assigned_at_step_[worker];
  if (std::equal(owned.begin(), owned.end(), held.chunks.begin(), held.chunks.end())) return;
  violated(fmt::format("iteration {}: worker {} holds {} chunks and owns {}",
                       order.step().iteration(), worker, held.chunks.size(), owned.size()));
}

}  // namespace surety::sim
