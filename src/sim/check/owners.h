// Checks that each chunk in use has exactly one owner in every iteration.
//
// It records the chunks that each worker owns by its last Prepare (Prepare.owned). When a step is
// sent, its members must own all samples of the session, each chunk once, and no worker may get
// work on a chunk that it does not own. When a worker begins the step, it must hold exactly these
// chunks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

class Owners final : public Check {
 public:
  // `samples`: the number of samples of every chunk.
  explicit Owners(std::map<ChunkId, std::uint64_t> samples) : samples_(std::move(samples)) {}

  void on_command(WorkerId to, const proto::ToWorker& message) override;
  void on_learning(WorkerId worker, const Held& held, const proto::ToWorker& order) override;
  void on_restart(const std::vector<proto::JournalRecord>&) override;

 private:
  void on_step(const proto::ToWorker& message);

  std::map<ChunkId, std::uint64_t> samples_;
  std::map<WorkerId, std::set<ChunkId>> assigned_;
  std::uint64_t session_samples_ = 0;
  std::uint32_t session_ = 0;
  std::uint64_t last_step_ = 0;  // Sequence number of the last step that was checked.
  // What workers owned when that step was sent.
  std::map<WorkerId, std::set<ChunkId>> assigned_at_step_;
};

}  // namespace surety::sim
