// Job files on a simulated cluster: their data sets by size, their nodes by number.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/reader.h"
#include "orchestrator/job_machine.h"
#include "sim/learner.h"

namespace surety::sim {

struct StandInOptions {
  std::uint32_t nodes = 0;      // Of the first type; 0: as the job says.
  double samples_per_s = 8000;  // Of a network, whole, on a node of speed 1.
};

// The job with so many workers of its first type: where it was to be measured with several numbers,
// with the same shares of them.
[[nodiscard]] orchestrator::Job with_nodes(orchestrator::Job job, std::uint32_t nodes);

// One block until passes_max, with whoever is there, as `surety train` without a plan.
[[nodiscard]] plan::Plan plan_by_hand(const orchestrator::Job& job);

// What runtime::set_up() makes of a job, without touching a file: a linear model's generated rows
// are read, files of one are replaced by generated rows of the same size (`open` is not asked), and
// of a network's samples there are only numbers. InvalidInput for a data set whose size nobody
// knows.
[[nodiscard]] Result<orchestrator::JobConfig> stand_in(const orchestrator::Job& job);

// Chooses how that job is learned (sim/learner.h).
[[nodiscard]] Learner learner_for(const orchestrator::JobConfig& config,
                                  const StandInOptions& options);

}  // namespace surety::sim
