// The tasks and samples with which simulated workers learn, and the costs of both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "data/sources/chunk.h"
#include "learn/task.h"
#include "orchestrator/job/job_machine.h"
#include "sim/learning/law_task.h"

namespace surety::sim {

struct Learner {
  learn::TaskFactory factory;
  // Reads a chunk from its source; the same range gives the same samples.
  std::function<Result<data::Chunk>(const data::ChunkRange&)> load;
  std::function<double(const std::string& version)> model_bytes;
  // Seconds of computing on a node of speed 1.
  std::function<double(const data::ChunkRange&, const std::string& version)> sample_s;
  // Samples that a worker learns before it may be cut off: a batch.
  std::uint64_t samples_least = 1;
};

// The number of bytes of the network for each byte of the model, because a simulated model has few
// values. REQUIRES: the model has parameters.
[[nodiscard]] double wire_scale(const Learner& learner, const learn::Model& model);

// The real solver on the real or generated samples of a linear model (`open` reads files). The
// samples are read once and kept.
[[nodiscard]] Learner linear_learner(const orchestrator::JobConfig& config, data::OpenFile open);

// A network that learns by a law: its samples are only counted. `samples_per_s`: speed of the full
// version on a node of speed 1.
[[nodiscard]] Learner law_learner(const orchestrator::JobConfig& config, LossLaw law,
                                  double samples_per_s);

}  // namespace surety::sim
