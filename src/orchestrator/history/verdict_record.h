// The last record of a run.
#pragma once

#include <string>

#include "certificate/certificate.h"

namespace surety::proto {
class RunEnded;
}  // namespace surety::proto

namespace surety::orchestrator {

// The verdict on the run, with what was promised and reached. `record` is the whole run, including
// the time and the cost until its end.
[[nodiscard]] proto::RunEnded verdict_record(const certificate::RunRecord& record,
                                             const std::string& reason);

// Whether the journal's last record follows from the run.
[[nodiscard]] bool follows(const proto::RunEnded& end, const certificate::RunRecord& record);

}  // namespace surety::orchestrator
