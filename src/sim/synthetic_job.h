// Job files on a simulated cluster: data sets are replaced by their sizes, nodes by their number.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/reader.h"
#include "orchestrator/job/job_machine.h"
#include "sim/learning/learner.h"

namespace surety::sim {

// The job with `nodes` workers of its first type. If it measures with several worker counts, these
// keep their ratios to the total. REQUIRES: nodes > 0.
[[nodiscard]] job::Job with_nodes(job::Job job, std::uint32_t nodes);

// Prepares a job for a run without reading a file. A linear model's generated rows are read, and
// its files are replaced by generated rows of the same size. A network's samples are only counted.
// InvalidInput, which names the data set, for one of unknown size.
[[nodiscard]] Result<orchestrator::JobConfig> synthetic_job(const job::Job& job);

// Chooses how that job learns (sim/learning/learner.h). `samples_per_s` is the speed of the full
// network on a node of speed 1.
[[nodiscard]] Learner learner_for(const orchestrator::JobConfig& config, double samples_per_s);

}  // namespace surety::sim
