// Checks that in an asynchronous iteration all updates enter every part of the model exactly once,
// and that all workers begin it with the same model.
//
// It records for each such command every member's model before and after, and what the member
// learned. When all have finished, the model must have changed by the sum of what they learned;
// otherwise the exchange has lost something or added it twice. An iteration counts only if all
// members finish it. A network that learns by a law (sim/learning/law_task.h) must have learned
// from as many samples as the worker reports. Work that continues from an aborted try of the same
// iteration counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

// The increase of the second value of a model that learns by a law after one visit of all samples.
// It is so large that the increase by one batch is above the rounding errors of sums.
inline constexpr double kVisitsOfAll = 10;

class Updates final : public Check {
 public:
  void on_command(WorkerId to, const proto::ToWorker& message) override;
  void on_answer(WorkerId from, const proto::FromWorker& message) override;
  void on_exchanged(WorkerId worker, const Exchanged& what) override;
  void on_restart(const std::vector<proto::JournalRecord>&) override;

 private:
  std::uint64_t sequence_ = 0;
  std::uint64_t iteration_ = 0;
  std::size_t members_ = 0;
  // The increase by one sample in a model that learns by a law; 0 for other models.
  double visits_each_ = 0;
  std::uint64_t session_samples_ = 0;
  std::map<WorkerId, Exchanged> ended_;  // Results of that command, by member.
};

}  // namespace surety::sim
