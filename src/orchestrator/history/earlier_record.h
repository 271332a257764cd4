// The knowledge of a run from earlier jobs, in the form of its journal.
#pragma once

#include "base/result.h"
#include "plan/pool/attempt_pool.h"

namespace surety::proto {
class EarlierJobs;
}  // namespace surety::proto

namespace surety::orchestrator {

[[nodiscard]] proto::EarlierJobs earlier_record(const plan::EarlierJobs& earlier);

// The inverse conversion. Corrupt unless the numbers are a law of learning of at least one job.
[[nodiscard]] Result<plan::EarlierJobs> earlier_of(const proto::EarlierJobs& record);

}  // namespace surety::orchestrator
