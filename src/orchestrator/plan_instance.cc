#include "orchestrator/plan_instance.h"

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
  instance.nodes.push_back(
      {.name = "local", .count = nodes, .price_per_s = job.cluster.price_per_s, .speed_factor = 1});
  return instance;
}

}  // namespace surety::orchestrator
