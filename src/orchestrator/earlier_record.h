// What a run knew from earlier jobs, as its journal keeps it.
#pragma once

#include "plan/pool/attempt_pool.h"

namespace surety::proto {
class EarlierJobs;
}  // namespace surety::proto

namespace surety::orchestrator {

[[nodiscard]] proto::EarlierJobs earlier_record(const plan::EarlierJobs& earlier);

// The other way round. Whether the numbers make sense is for the caller to find out.
[[nodiscard]] plan::EarlierJobs earlier_of(const proto::EarlierJobs& record);

}  // namespace surety::orchestrator
