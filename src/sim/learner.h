// What simulated workers learn with: tasks, the samples of chunks, and what all of it costs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "data/chunk.h"
#include "learn/task.h"
#include "orchestrator/job_machine.h"
#include "sim/law_task.h"

namespace surety::sim {

struct Learner {
  learn::TaskFactory factory;
  // A chunk as it is read from its source; the same range gives the same samples.
  std::function<Result<data::Chunk>(const data::ChunkRange&)> load;
  std::function<double(const std::string& version)> model_bytes;
  // Seconds of computing on a node of speed 1.
  std::function<double(const data::ChunkRange&, const std::string& version)> sample_s;
  std::uint64_t samples_least = 1;  // That are learned before anybody may be late: a batch.
};

// The real solver on the real or generated samples of a linear model (`open` reads files), which
// are read once and kept.
[[nodiscard]] Learner linear_learner(const orchestrator::JobConfig& config, data::OpenFile open);

// A network by a law: its samples are only counted. `samples_per_s`: learned by the full version on
// a node of speed 1.
[[nodiscard]] Learner law_learner(const orchestrator::JobConfig& config, LossLaw law,
                                  double samples_per_s);

}  // namespace surety::sim
