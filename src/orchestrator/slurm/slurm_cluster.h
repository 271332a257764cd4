// What a Slurm allocation makes of a job's cluster, and how this machine finds the address at which
// the nodes of the allocation reach it.
//
// Pure: no clock, no I/O. runtime/slurm/slurm.h asks Slurm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "job/job.h"

namespace surety::orchestrator {

// The job's cluster in an allocation with `nodes` nodes, each of which may have a worker.
// InvalidInput if the job wants more workers than that. REQUIRES: job.cluster.slurm.
[[nodiscard]] Result<job::ClusterSpec> cluster_in(const std::string& allocation,
                                                  std::uint32_t nodes, const job::Job& job);

// The node type of the nodes of an allocation: the first one, which is the only one with slurm.
[[nodiscard]] const job::NodeTypeSpec& allocation_type(const job::ClusterSpec& cluster);

// The node whose route shows this machine's address: the first node other than `own`, or the only
// one. `own` is this machine's node, if it is one. On the route to itself, a machine may find only
// its loopback address. REQUIRES: there is a node.
[[nodiscard]] const std::string& node_to_reach(const std::vector<std::string>& nodes,
                                               const std::string& own);

// The node's address in the output of `scontrol --oneliner show node NODE`. It is the node's name
// where the output has none, which is Slurm's default.
[[nodiscard]] std::string node_address(const std::string& node, std::string_view output);

}  // namespace surety::orchestrator
