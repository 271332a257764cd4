// The second measurement of a certified model: a new process measures it again, without its workers
// and without their results. The result of the run is certified before, and does not depend on the
// second measurement unless this contradicts it. So the run ends without it if it fails, takes too
// long or is interrupted.
//
// Pure: no clock, no I/O.
#pragma once

#include <optional>
#include <string>

#include "certificate/certificate.h"
#include "job/job.h"
#include "orchestrator/job/job_events.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// Whether the certified result must still be measured again before the run ends.
[[nodiscard]] bool needs_second_measurement(const job::TrustSpec& trust,
                                            const certificate::RunRecord& record);

// The time that the second measurement may take, in seconds.
[[nodiscard]] double second_measurement_limit_s(const certificate::RunRecord& record);

// The outcome that the event determines, `waited_s` seconds after the beginning of the measurement.
// None if the run goes on waiting.
[[nodiscard]] std::optional<proto::MeasuredAgain> outcome_of(const Event& event, double waited_s,
                                                             double limit_s);

// The outcome as a line for the log. REQUIRES: there is an outcome.
[[nodiscard]] std::string outcome_words(const certificate::Certified& certified);

}  // namespace surety::orchestrator
