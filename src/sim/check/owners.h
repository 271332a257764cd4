// Each chunk in use has exactly one owner in every iteration.
//
// The books: what each worker was told to own last (Prepare.owned). When a step is sent, what its
// members own must be all samples of the session, each chunk once, and nobody is given work on what
// he does not own. When a worker begins the step, it must hold just these chunks.
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
  // Samples of every chunk that there is.
  explicit Owners(std::map<ChunkId, std::uint64_t> samples) : samples_(std::move(samples)) {}

  void commanded(WorkerId to, const proto::ToWorker& message) override;
  void learning(WorkerId worker, const Held& held, const proto::ToWorker& order) override;
  void restarted(const std::vector<proto::JournalRecord>&) override;

 private:
  void stepped(const proto::ToWorker& message);

  std::map<ChunkId, std::uint64_t> samples_;
  std::map<WorkerId, std::set<ChunkId>> told_;
  std::uint64_t session_samples_ = 0;
  std::uint32_t session_ = 0;
  std::uint64_t last_step_ = 0;                      // Sequence that was looked at ...
  std::map<WorkerId, std::set<ChunkId>> told_then_;  // ... and what was owned when it was sent.
};

}  // namespace surety::sim
