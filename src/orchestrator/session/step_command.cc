#include "orchestrator/session/step_command.h"

#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/session/asynchronous.h"

namespace surety::orchestrator {
namespace {

// The number of tasks is at most the number of chunks.
std::uint32_t tasks_of(const std::vector<elastic::Work>& work, std::uint32_t most) {
  std::set<ChunkId> chunks;
  for (const elastic::Work& piece : work) chunks.insert(piece.chunk);
  return std::min(most, static_cast<std::uint32_t>(chunks.size()));
}

proto::Step step_without_work(const SessionSpec& spec, const StepFacts& facts) {
  proto::Step step;
  step.set_iteration(facts.iteration);
  step.set_pass(facts.pass);
  step.set_rate(facts.rate);
  step.set_tasks_per_node(spec.tasks_per_node);
  for (const proto::Peer& member : facts.members) *step.add_members() = member;
  return step;
}

// Local SGD averages by samples. CoCoA adds updates, because each task assumes a sigma' for a sum.
void add_weights(const SessionSpec& spec, const std::map<std::uint32_t, double>& samples,
                 double all_samples, proto::Step& step) {
  for (const proto::Peer& member : step.members()) {
    const auto given = samples.find(member.worker());
    double weight = 0;
    if (given != samples.end()) weight = spec.cocoa ? 1.0 : given->second / all_samples;
    step.add_weights(static_cast<float>(weight));
  }
}

}  // namespace

proto::Step step_of(const SessionSpec& spec, const StepFacts& facts, const WorkByWorker& work) {
  std::map<std::uint32_t, double> samples;
  double all_samples = 0;
  for (const auto& [worker, items] : work) {
    samples[worker.value] = static_cast<double>(samples_of(items));
    all_samples += samples[worker.value];
  }
  proto::Step step = step_without_work(spec, facts);
  step.set_averages(!spec.cocoa);
  for (const auto& [worker, items] : work)
    step.set_tasks(step.tasks() + tasks_of(items, spec.tasks_per_node));
  step.set_line_search(spec.line_search && step.tasks() > 1);
  if (facts.compute_s_max) step.set_compute_s_max(*facts.compute_s_max);
  if (!facts.is_synchronous && is_asynchronous(spec.mode, facts.members.size())) {
    *step.mutable_asynchronous() =
        spec.cocoa ? asynchronous_pass_of(spec.mode, facts.members.size(),
                                          static_cast<std::uint64_t>(all_samples))
                   : asynchronous_of(spec.mode, facts.members.size(), spec.task.local_steps());
  }
  if (spec.average_passes) {
    const double begin = facts.pass + facts.pass_done;
    step.mutable_average()->set_passes(*spec.average_passes);
    step.mutable_average()->set_begin(begin);
    step.mutable_average()->set_end(begin + all_samples / static_cast<double>(facts.pass_samples));
  }
  for (const double share : facts.shares) step.add_shares(share);
  add_weights(spec, samples, all_samples, step);
  return step;
}

proto::Step sum_again(const SessionSpec& spec, const StepFacts& facts) {
  proto::Step step = step_without_work(spec, facts);
  step.set_resum(true);
  for (int i = 0; i < step.members_size(); ++i) step.add_weights(1);
  return step;
}

}  // namespace surety::orchestrator
