#include "orchestrator/training/chunk_moves.h"

#include <utility>

#include "base/check.h"

namespace surety::orchestrator {

void ChunkMoves::limit_workers(std::optional<std::uint32_t> workers) {
  if (std::exchange(working_, workers) != workers) is_due_ = true;
}

bool ChunkMoves::is_balance_due(bool moves_chunks, std::size_t staying,
                                std::uint64_t iteration) const {
  const bool too_many_work = working_ && staying > resting_.size() + *working_;
  return (moves_chunks || too_many_work) && decided_at_ != iteration;
}

void ChunkMoves::grant(const elastic::Boundary& boundary, std::uint64_t iteration) {
  SURETY_CHECK(pending_.empty());
  decided_at_ = iteration;
  resting_ = boundary.resting;
  pending_ = boundary.grants;
}

std::vector<elastic::Grant> ChunkMoves::confirm() { return std::exchange(pending_, {}); }

void ChunkMoves::lose(WorkerId worker) {
  std::erase_if(pending_, [&](const elastic::Grant& grant) { return grant.to == worker; });
  for (elastic::Grant& grant : pending_) {
    if (grant.from == worker) grant.from.reset();
  }
  is_due_ = true;
}

}  // namespace surety::orchestrator
