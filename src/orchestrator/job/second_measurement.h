// The second measurement of a certified model: a new process measures it again, without its workers
// and without their results. The result of the run is certified before, and does not depend on the
// second measurement unless this finds another value. So the run ends without it if it fails twice
// or takes too long. If the run is interrupted, the next coordinator requests it again. If the
// checkpoint of the model is lost, there is no result any more.
//
// Pure: no clock, no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "certificate/certificate.h"
#include "job/job.h"
#include "orchestrator/job/phase.h"
#include "orchestrator/ledger/job_events.h"
#include "orchestrator/ledger/ledger.h"
#include "orchestrator/session/trainer_events.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class SecondMeasurement {
 public:
  // Records that the job does without it. REQUIRES: awaits_second_measurement().
  static void leave_out(Ledger& ledger);

  // Requests it. `ledger` must outlive this. Reading all data once takes `reading_s`. REQUIRES:
  // awaits_second_measurement().
  SecondMeasurement(Ledger& ledger, double reading_s);

  // EndRun once the outcome is recorded; Finish if the checkpoint is lost; else Stay. The workers
  // of the run are dismissed, so their messages and losses have no meaning; a worker that calls now
  // is dismissed, too.
  [[nodiscard]] PhaseChange step(const Event& event);
  [[nodiscard]] Waiting waits_for() const;

 private:
  void dismiss(const WorkerHello& late);

  Ledger& ledger_;
  const double limit_s_;
  const double began_s_;
  // Workers that joined by themselves may wait for this coordinator, and call it once a second.
  // Until this time the run waits for such calls, and dismisses each caller.
  const double earliest_end_s_;
  bool is_second_try_ = false;
  std::optional<proto::MeasuredAgain> outcome_;
  std::uint32_t called_late_ = 0;  // Workers that have called since it began.
};

// The time that the second measurement may take, in seconds.
[[nodiscard]] double second_measurement_limit_s(const certificate::RunRecord& record,
                                                double reading_s);

// The outcome that the event determines, `waited_s` seconds after the beginning of the measurement.
// None if the run goes on waiting.
[[nodiscard]] std::optional<proto::MeasuredAgain> outcome_of(const Event& event, double waited_s,
                                                             double limit_s);

// The outcome as a line for the log. REQUIRES: there is an outcome.
[[nodiscard]] std::string outcome_words(const certificate::Certified& certified);

}  // namespace surety::orchestrator
