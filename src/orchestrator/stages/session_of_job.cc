#include "orchestrator/stages/session_of_job.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "base/random.h"
#include "protocol/messages.h"

namespace surety::orchestrator {

SessionSpec session_spec(const StageContext& context, std::vector<data::ChunkRange> chunks,
                         std::uint64_t seed, const TrainingPoint& from) {
  const job::TrainSpec& train = context.job.train;
  SessionSpec spec;
  spec.cocoa = train.solver == job::Solver::kCocoa;
  std::uint64_t samples = 0;
  for (const data::ChunkRange& range : chunks) samples += range.count;
  proto::TaskOptions& task = spec.task;
  task.set_model(context.job.model.zoo);
  *task.mutable_schema() = protocol::to_proto(context.schema);
  task.set_samples(samples);
  task.set_seed(seed);
  task.set_batch(train.batch);
  task.set_local_steps(train.local_steps);
  task.set_learning_rate(train.learning_rate);
  task.set_momentum(train.momentum);
  task.set_weight_decay(train.weight_decay);
  task.set_outer_momentum(train.outer_momentum);
  task.set_outer_learning_rate(train.outer_learning_rate);
  if (train.lambda) task.set_lambda(*train.lambda);
  task.set_l1_ratio(train.l1_ratio);
  spec.line_search = spec.cocoa && train.aggregation == job::Aggregation::kAccelerated;
  // One task for each chunk: no worker has more chunks than there are.
  spec.tasks_per_node = train.micro_tasks.value_or(train.tasks_per_node);
  spec.policies = train.policies;
  spec.on_resize = train.on_resize;
  spec.mode = train.mode;
  if (!spec.cocoa) spec.average_passes = train.average_passes;
  spec.chunks = std::move(chunks);
  spec.saved = from.saved;
  spec.state_files = from.state_files;
  spec.first_pass = from.pass;
  return spec;
}

std::vector<data::ChunkRange> fraction_of(const std::vector<data::ChunkRange>& chunks,
                                          double fraction, std::uint64_t seed) {
  std::vector<data::ChunkRange> chosen = chunks;
  const auto count = static_cast<std::size_t>(
      std::max(1.0, std::ceil(fraction * static_cast<double>(chunks.size()) - 1e-9)));
  Random random = Random(seed).fork("data fraction");
  random.shuffle(std::span(chosen));
  chosen.resize(std::min(count, chosen.size()));
  std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return chosen;
}

}  // namespace surety::orchestrator
