// The configuration of a job machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/sample.h"
#include "data/sources/chunk.h"
#include "data/sources/source_info.h"
#include "job/job.h"
#include "orchestrator/history/run_mode.h"
#include "plan/plan.h"

namespace surety::orchestrator {

struct JobConfig {
  job::Job job;
  RunMode mode = RunMode::kRun;
  std::vector<data::SourceInfo> sources;       // The sources of job.data, in its order.
  std::optional<data::SourceInfo> validation;  // Without it, validation chunks come from `sources`.
  data::Schema schema;                         // Common to all sources (data::common_schema).
  std::vector<data::ChunkRange> chunks;
  // Source index sources.size() means `validation`.
  std::vector<data::ChunkRange> validation_chunks;
  std::string checkpoints_folder;  // The folder where workers write checkpoints.
  std::optional<plan::Plan> plan;  // Training follows this plan if there is one.
  // Number of workers that the data was cut into chunks for.
  std::optional<std::uint32_t> chunks_for_workers;
  bool starts_workers = true;  // There is a launcher (cluster.local() > 0).
  // In the mode kRun: pause as soon as the promise is stated, so that the user can decide whether
  // it is worth its cost. It holds for this coordinator only: a resumed run continues.
  bool measures_only = false;
  double reading_s = 0;  // The time in which this process read all sources once.
};

}  // namespace surety::orchestrator
