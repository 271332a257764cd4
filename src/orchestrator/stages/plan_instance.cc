#include "orchestrator/stages/plan_instance.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace surety::orchestrator {
namespace {

Result<void> check_known(const std::string& key, const std::string& found,
                         const std::vector<std::string>& known, std::string_view what) {
  if (std::find(known.begin(), known.end(), found) != known.end()) return {};
  return fail(ErrorCode::kInvalidInput, "{}: found {}, expected one of the job's {}: {}", key,
              found, what, fmt::join(known, ", "));
}

}  // namespace

plan::Instance plan_instance(const job::Job& job, const std::vector<data::SourceInfo>& sources,
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
  instance.passes_max = job.train.passes_max;
  instance.memory_bytes = job.model.memory_bytes;
  for (const job::NodeTypeSpec& type : job.cluster.nodes) {
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

Result<void> check_plan_names(const plan::Plan& plan, const job::Job& job) {
  std::vector<std::string> sets;
  std::vector<std::string> types;
  for (const job::DataSpec& set : job.data) sets.push_back(set.name);
  for (const job::NodeTypeSpec& type : job.cluster.nodes) types.push_back(type.name);
  for (std::size_t i = 0; i < plan.data.size(); ++i) {
    SURETY_TRY(check_known(fmt::format("data[{}]", i), plan.data[i], sets, "data sets"));
    if (std::ranges::count(plan.data, plan.data[i]) > 1) {
      return fail(ErrorCode::kInvalidInput, "data[{}]: found {} twice, expected it once", i,
                  plan.data[i]);
    }
  }
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const plan::Block& block = plan.blocks[i];
    SURETY_TRY(check_known(fmt::format("blocks[{}].version", i), block.version, job.model.versions,
                           "versions"));
    for (std::size_t j = 0; j < block.counts.size(); ++j) {
      SURETY_TRY(check_known(fmt::format("blocks[{}].counts[{}].type", i, j), block.counts[j].type,
                             types, "node types"));
    }
  }
  return {};
}

}  // namespace surety::orchestrator
