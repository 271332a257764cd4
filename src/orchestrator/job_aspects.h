// What of a job a profile and a plan are made for (plan/files/made_for.h).
#pragma once

#include <optional>
#include <vector>

#include "data/source_info.h"
#include "orchestrator/job.h"
#include "plan/files/made_for.h"

namespace surety::orchestrator {

// Every key of the job that changes how the model learns, what that costs or what was promised, and
// what the data holds. Keys without effect on this job (train.learning_rate with cocoa) are left
// out, and so are those that a promise holds for whatever they are: train.seed, where a folder
// lies, who coordinates, how much is profiled.
//
// `sources` are of job.data, in its order; `validation` is of job.validation, if there is one.
[[nodiscard]] plan::MadeFor aspects_of(const Job& job, const std::vector<data::SourceInfo>& sources,
                                       const std::optional<data::SourceInfo>& validation);

}  // namespace surety::orchestrator
