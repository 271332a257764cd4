#include "orchestrator/slurm/slurm_allocation.h"

#include <algorithm>
#include <set>

namespace surety::orchestrator {

bool SlurmAllocation::update(const std::vector<std::string>& nodes) {
  const std::uint32_t before = usable();
  const std::set<std::string> now(nodes.begin(), nodes.end());
  std::erase_if(nodes_, [&](const auto& entry) {
    return !now.contains(entry.first) && !entry.second.has_worker;
  });
  for (auto& [name, node] : nodes_) {
    const bool is_here = now.contains(name);
    if (is_here && node.has_left) node.on_notice = false;
    node.has_left = !is_here;
  }
  for (const std::string& name : now) nodes_.try_emplace(name);
  return usable() != before;
}

std::optional<std::string> SlurmAllocation::free() const {
  const std::string* best = nullptr;
  std::uint32_t best_ends = 0;
  for (const auto& [name, node] : nodes_) {
    if (node.has_worker || node.on_notice || node.has_left) continue;
    if (best != nullptr && node.ends >= best_ends) continue;
    best = &name;
    best_ends = node.ends;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

void SlurmAllocation::on_started(const std::string& node) {
  if (const auto found = nodes_.find(node); found != nodes_.end()) found->second.has_worker = true;
}

void SlurmAllocation::on_ended(const std::string& node) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  found->second.has_worker = false;
  ++found->second.ends;
  if (found->second.has_left) nodes_.erase(found);
}

void SlurmAllocation::on_notice(const std::string& node) {
  if (const auto found = nodes_.find(node); found != nodes_.end()) found->second.on_notice = true;
}

std::uint32_t SlurmAllocation::usable() const {
  return static_cast<std::uint32_t>(std::count_if(
      nodes_.begin(), nodes_.end(),
      [](const auto& entry) { return !entry.second.on_notice && !entry.second.has_left; }));
}

std::vector<std::string> srun_command(const std::string& job, const std::string& node) {
  return {"srun",
          "--jobid=" + job,
          "--nodelist=" + node,
          "--nodes=1",
          "--ntasks=1",
          "--overlap",
          "--cpu-bind=none",
          "--mpi=none",
          "--kill-on-bad-exit=0",
          "--input=none",
          "--export=ALL",
          "--job-name=surety-worker"};
}

std::vector<std::string> node_list_command(const std::string& job) {
  return {"squeue", "--noheader", "--jobs=" + job, "--format=%N"};
}

}  // namespace surety::orchestrator
