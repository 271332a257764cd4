// The progress of the current pass, summed over its committed iterations.
#pragma once

#include <cstdint>
#include <map>

#include "base/ids.h"
#include "orchestrator/session/barrier.h"
#include "orchestrator/session/trainer_events.h"

namespace surety::orchestrator {

// Times are in seconds since the run began, and never decrease. Between begin() and finish() the
// pass is under way. Its iterations follow each other without a gap: each lasts from the end of the
// one before.
class PassProgress {
 public:
  // `passes` is the number of passes before this session.
  explicit PassProgress(std::uint32_t passes) : passes_(passes) {}

  // Passes that are done.
  [[nodiscard]] std::uint32_t passes() const { return passes_; }

  void begin(double now_s);
  // An iteration was committed now, with these answers to its step. `workers`: those with chunks.
  void add(const Answers& answers, std::uint32_t workers, double now_s);
  // An iteration was aborted and will be repeated.
  void note_aborted() { ++totals_.again; }
  // Samples that were learned from.
  [[nodiscard]] std::uint64_t samples() const { return totals_.samples; }
  // The pass is over now. `present`: workers that take part and are not leaving.
  [[nodiscard]] PassFinished finish(std::uint32_t present, double now_s);

 private:
  std::uint32_t passes_;
  double began_s_ = 0;
  double iteration_began_s_ = 0;
  PassFinished totals_;
  std::map<WorkerId, double> compute_s_;  // Seconds of computing.
  std::map<WorkerId, double> computed_;   // Samples that it learned from.
};

}  // namespace surety::orchestrator
