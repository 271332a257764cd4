#include "orchestrator/plan_instance.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace surety::orchestrator {

plan::Instance plan_instance(const Job& job, const std::vector<data::SourceInfo>& sources,
                             std::uint32_t nodes, double seconds_left) {
  plan::Instance instance;
  instance.promise = job.promise;
  instance.promise.deadline_s = seconds_left;
  for (const data::SourceInfo& source : sources) {
    plan::DataSet set{.name = source.name,
                      .site = source.site,
                      .samples = source.samples,
                      .bytes = source.bytes,
                      .price = source.price,
                      .label_histogram = {}};
    for (const auto& [label, count] : source.label_histogram) {
      set.label_histogram[static_cast<int>(label)] += count;
    }
    instance.data.push_back(std::move(set));
  }
  instance.versions = job.model.versions;
  instance.memory_bytes = job.model.memory_bytes;
  for (const NodeTypeSpec& type : job.cluster.nodes) {
    instance.nodes.push_back({.name = type.name,
                              .count = type.local + type.join,
                              .price_per_s = type.price_per_s,
                              .speed_factor = type.speed,
                              .preemptions_per_s = type.preemptions_per_s,
                              .restart_s = type.restart_s,
                              .start_s = type.start_s,
                              .memory_bytes = type.memory_bytes});
  }
  instance.nodes.front().count = std::max(instance.nodes.front().count, nodes);
  return instance;
}

Result<void> check_plan_nodes(const plan::Plan& plan, const Job& job) {
  for (const plan::Block& block : plan.blocks) {
    for (const plan::NodeCount& nodes : block.counts) {
      if (job.cluster.find(nodes.type) != nullptr) continue;
      std::vector<std::string> names;
      for (const NodeTypeSpec& type : job.cluster.nodes) names.push_back(type.name);
      return fail(ErrorCode::kInvalidInput,
                  "{} is planned on {} {}, but the job's node types are {}", block.version,
                  nodes.count, nodes.type, fmt::join(names, ", "));
    }
  }
  return {};
}

}  // namespace surety::orchestrator
