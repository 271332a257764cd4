#include "job/job.h"

#include <algorithm>

#include "base/check.h"

namespace surety::job {

const NodeTypeSpec* ClusterSpec::find(std::string_view type) const {
  SURETY_CHECK(!nodes.empty());
  if (type.empty()) return &nodes.front();
  for (const NodeTypeSpec& node : nodes) {
    if (node.name == type) return &node;
  }
  return nullptr;
}

std::uint32_t ClusterSpec::local() const {
  std::uint32_t count = 0;
  for (const NodeTypeSpec& node : nodes) count += node.local;
  return count;
}

std::uint32_t ClusterSpec::threads_of_each(std::uint32_t cores) const {
  std::uint32_t workers = 1;
  for (const NodeTypeSpec& type : nodes) workers = std::max(workers, type.local);
  return std::max(1u, cores / workers);
}

bool ClusterSpec::one_worker() const {
  const NodeTypeSpec& type = nodes.front();
  return nodes.size() == 1 && type.local == 1 && type.join == 0 && type.preemptions_per_s == 0 &&
         !listen && !slurm;
}

bool has_pool(const Job& job) {
  return std::ranges::all_of(job.profile.data_fractions, [](double f) { return f == 1; });
}

}  // namespace surety::job
