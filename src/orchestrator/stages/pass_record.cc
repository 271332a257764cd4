#include "orchestrator/stages/pass_record.h"

#include <algorithm>

#include "elastic/policy/shares.h"

namespace surety::orchestrator {
namespace {

// The number of iterations that took more than twice the median.
std::uint32_t slow_iterations(const std::vector<double>& iteration_s) {
  if (iteration_s.empty()) return 0;
  const double slow_s = 2 * elastic::median(iteration_s);
  return static_cast<std::uint32_t>(
      std::count_if(iteration_s.begin(), iteration_s.end(), [=](double s) { return s > slow_s; }));
}

}  // namespace

proto::PassDone pass_record(const PassFinished& pass, const MetricValue& metric,
                            double eval_seconds) {
  proto::PassDone fact;
  fact.set_pass(pass.pass);
  fact.set_metric(metric.value);
  fact.set_metric_se(metric.se);
  if (metric.accuracy) fact.set_accuracy(*metric.accuracy);
  if (metric.objective) fact.set_objective(*metric.objective);
  fact.set_seconds(pass.seconds);
  fact.set_iterations(static_cast<std::uint32_t>(pass.iteration_s.size()));
  fact.set_iterations_again(pass.again);
  fact.set_iterations_slow(slow_iterations(pass.iteration_s));
  fact.set_eval_seconds(eval_seconds);
  fact.set_workers(pass.workers);
  fact.set_samples(pass.samples);
  return fact;
}

proto::CheckpointCommitted checkpoint_record(const SaveFinished& saved, const MetricValue& metric) {
  proto::CheckpointCommitted fact;
  fact.set_folder(saved.folder);
  fact.set_metric(metric.value);
  fact.set_model_iteration(saved.model_iteration);
  fact.set_model_checksum(saved.model_checksum);
  for (const proto::SavedFile& file : saved.files) *fact.add_files() = file;
  return fact;
}

TrainingPoint point_of(const proto::CheckpointCommitted& from) {
  TrainingPoint point;
  point.pass = from.pass();
  point.block = from.block();
  point.pass_in_block = from.pass_in_block();
  point.version = from.version();
  for (const proto::SavedFile& file : from.files()) {
    if (file.chunks().empty()) {
      point.saved = {file.path(), from.version(), from.model_checksum()};
    }
    for (const std::uint32_t chunk : file.chunks()) {
      point.state_files[chunk] = {file.path(), file.checksum()};
    }
  }
  return point;
}

}  // namespace surety::orchestrator
