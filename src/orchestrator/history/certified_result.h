// The certified result of a run, from the records of its journal.
#pragma once

#include "base/result.h"
#include "certificate/certificate.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

[[nodiscard]] certificate::Certified certified_of(const proto::Certified& fact);

// Adds the second measurement to the result. Corrupt if there is no result, or if its second
// measurement was recorded before; then nothing changes.
[[nodiscard]] Result<void> add_second_measurement(certificate::RunRecord& record,
                                                  const proto::MeasuredAgain& fact,
                                                  plan::Metric metric);

}  // namespace surety::orchestrator
