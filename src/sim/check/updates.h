// In an asynchronous iteration all that workers learn gets into the model, each of it once, in
// every part of it; and the model that it begins with is that of all.
//
// The books: for each such command what each member's model was, has become, and has learned.
// When all have come to its end the model has changed by the sum of what they learned, or the
// exchange has lost something, or added it twice. An end that not all come to is none. And what a
// network by a law (sim/law_task.h) has learned is as much as the worker says: work of an earlier
// attempt, which it may go on from, counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

// What all samples, learned once, add to the second value of a model that is learned by a law: one
// batch is then above the rounding of sums.
inline constexpr double kVisitsOfAll = 10;

class Updates final : public Check {
 public:
  void commanded(WorkerId to, const proto::ToWorker& message) override;
  void answered(WorkerId from, const proto::FromWorker& message) override;
  void exchanged(WorkerId worker, const Exchanged& what) override;
  void restarted(const std::vector<proto::JournalRecord>&) override;

  [[nodiscard]] std::uint64_t checked() const { return checked_; }  // Iterations.

 private:
  std::uint64_t sequence_ = 0, iteration_ = 0;
  std::size_t members_ = 0;
  double visits_each_ = 0;  // That a sample adds to what is learned by a law; 0: it is none.
  std::uint64_t session_samples_ = 0;
  std::map<WorkerId, Exchanged> ended_;  // Of that command.
  std::uint64_t checked_ = 0;
};

}  // namespace surety::sim
