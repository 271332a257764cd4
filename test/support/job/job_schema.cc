#include "test/support/job/job_schema.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "job/job_tables.h"

namespace surety::job {
namespace {

template <typename T>
void append(std::vector<KeyInfo>& out, std::string_view section, std::span<const Key<T>> keys) {
  for (const Key<T>& key : keys) {
    out.push_back({.key = fmt::format("{}{}", section, key.name),
                   .expected = std::string(key.expected),
                   .fallback = std::string(key.fallback)});
  }
}

}  // namespace

std::vector<KeyInfo> job_schema() {
  std::vector<KeyInfo> out;
  append(out, "", top_keys());
  append(out, "promise.", promise_keys());
  out.push_back(
      {.key = "data.root",
       .expected =
           "the folder that relative paths in sources start from; $PWD is the working folder",
       .fallback = "the job file's folder"});
  append(out, "data.sets.N.", data_set_keys());
  append(out, "model.", model_keys());
  append(out, "train.", train_keys());
  append(out, "train.policies.", policy_keys());
  append(out, "profile.", profile_keys());
  append(out, "cluster.", cluster_keys());
  append(out, "cluster.nodes.N.", node_type_keys());
  append(out, "cluster.slurm.", slurm_keys());
  append(out, "coordinator.", coordinator_keys());
  append(out, "record.", record_keys());
  append(out, "trust.", trust_keys());
  return out;
}

}  // namespace surety::job
