// What a run knew from earlier jobs, in the form that its journal keeps.
#pragma once

#include "plan/pool/attempt_pool.h"

namespace surety::proto {
class EarlierJobs;
}  // namespace surety::proto

namespace surety::orchestrator {

[[nodiscard]] proto::EarlierJobs earlier_record(const plan::EarlierJobs& earlier);

// The reverse. The caller must check whether the numbers make sense.
[[nodiscard]] plan::EarlierJobs earlier_of(const proto::EarlierJobs& record);

}  // namespace surety::orchestrator
