// What the planner is asked, made of a job and what its data sources hold.
#pragma once

#include <cstdint>
#include <vector>

#include "data/source_info.h"
#include "orchestrator/job.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// `nodes`: available; `seconds_left`: for training, to the deadline less what certifying takes.
[[nodiscard]] plan::Instance plan_instance(const Job& job,
                                           const std::vector<data::SourceInfo>& sources,
                                           std::uint32_t nodes, double seconds_left);

}  // namespace surety::orchestrator
