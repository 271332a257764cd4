// The tables of keys, one per section (job_section.h says how they are read). Only the job file
// reader includes this header. Tests use a list of all keys (test/support/job/job_schema.h).
#pragma once

#include <span>
#include <string_view>

#include "job/job.h"
#include "job/job_section.h"

namespace surety::job {

// Scalars; the sections below the top are skipped.
[[nodiscard]] std::span<const Key<Job>> top_keys();
[[nodiscard]] std::span<const Key<Job>> promise_keys();
[[nodiscard]] std::span<const Key<DataSpec>> data_set_keys();
[[nodiscard]] std::span<const Key<Job>> model_keys();
[[nodiscard]] std::span<const Key<Job>> train_keys();
[[nodiscard]] std::span<const Key<Job>> policy_keys();
[[nodiscard]] std::span<const Key<Job>> profile_keys();
[[nodiscard]] std::span<const Key<Job>> cluster_keys();
[[nodiscard]] std::span<const Key<CoordinatorSpec>> coordinator_keys();
[[nodiscard]] std::span<const Key<RecordSpec>> record_keys();
[[nodiscard]] std::span<const Key<TrustSpec>> trust_keys();
[[nodiscard]] std::span<const Key<NodeTypeSpec>> node_type_keys();
[[nodiscard]] std::span<const Key<SlurmSpec>> slurm_keys();

inline constexpr std::string_view kNodesExpected =
    "a list of node types, such as [{name: spot, local: 2, price: 0.1/h}]";

}  // namespace surety::job
