#include "orchestrator/slurm/slurm_cluster.h"

#include <algorithm>

#include "base/check.h"

namespace surety::orchestrator {

Result<job::ClusterSpec> cluster_in(const std::string& allocation, std::uint32_t nodes,
                                    const job::Job& job) {
  job::ClusterSpec cluster = job.cluster;
  const auto& measured = job.profile.workers;
  const std::uint32_t most =
      measured.empty() ? 0 : *std::max_element(measured.begin(), measured.end());
  if (std::max(most, cluster.workers_min) > nodes) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found {}, expected at most {}, the number of nodes of allocation {}",
                most > nodes ? "profile.workers" : "cluster.workers_min",
                std::max(most, cluster.workers_min), nodes, allocation);
  }
  cluster.nodes.front().local = nodes;
  return cluster;
}

const job::NodeTypeSpec& allocation_type(const job::ClusterSpec& cluster) {
  SURETY_CHECK(!cluster.nodes.empty());
  return cluster.nodes.front();
}

const std::string& node_to_reach(const std::vector<std::string>& nodes, const std::string& own) {
  SURETY_CHECK(!nodes.empty());
  const auto other = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const std::string& node) { return node != own; });
  return other == nodes.end() ? nodes.front() : *other;
}

// "... NodeAddr=10.0.0.7 NodeHostName=..." gives 10.0.0.7.
std::string node_address(const std::string& node, std::string_view output) {
  constexpr std::string_view kKey = " NodeAddr=";
  const std::size_t at = output.find(kKey);
  if (at == std::string_view::npos) return node;
  const std::size_t begin = at + kKey.size();
  return std::string(output.substr(begin, output.find_first_of(" \n", begin) - begin));
}

}  // namespace surety::orchestrator
