// The aspects of a job that a profile and a plan are made for (plan/files/made_for.h).
#pragma once

#include <optional>
#include <vector>

#include "data/sources/source_info.h"
#include "job/job.h"
#include "plan/files/made_for.h"

namespace surety::job {

// Every key of the job that changes how the model learns, what training costs or what was promised,
// and what the data holds. Keys without effect on this job (train.learning_rate with cocoa) are
// left out. So are keys that a promise does not depend on: train.seed, paths of folders, which
// coordinator runs, and how much is profiled.
//
// `sources` belong to job.data, in its order; `validation` belongs to job.validation, if there is
// one.
[[nodiscard]] plan::MadeFor aspects_of(const Job& job, const std::vector<data::SourceInfo>& sources,
                                       const std::optional<data::SourceInfo>& validation);

}  // namespace surety::job
