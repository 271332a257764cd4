#include "job/job_file.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "job/job_check.h"
#include "job/job_data.h"
#include "job/job_section.h"
#include "job/job_tables.h"
#include "job/yaml.h"
#include "job/yaml_parse.h"

namespace surety::job {
namespace {

using yaml::Kind;
using yaml::Node;

// "examples/mnist.yaml" -> "mnist".
std::string stem(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const std::size_t dot = file.rfind('.');
  if (dot != std::string_view::npos && dot > 0) file = file.substr(0, dot);
  return file.empty() || file[0] == '.' ? "job" : std::string(file);
}

// data.0.source is short for data.sets.0.source.
std::string path_of(const std::string& key) {
  constexpr std::string_view kData = "data.";
  if (!key.starts_with(kData) || key.size() == kData.size()) return key;
  const char next = key[kData.size()];
  if (next < '0' || next > '9') return key;
  return fmt::format("{}sets.{}", kData, std::string_view(key).substr(kData.size()));
}

Result<Node> tree_of(std::string_view file, std::string_view text,
                     const std::vector<Override>& overrides) {
  SURETY_TRY(Node tree, yaml::parse(file, text));
  if (tree.kind == Kind::kNull) tree.kind = Kind::kMap;
  if (tree.kind != Kind::kMap) {
    return refuse_value(At{file, {}}, tree, "", "a job: a mapping with promise, data and model");
  }
  normalise_data(tree);
  for (const Override& one : overrides) {
    SURETY_TRY(yaml::set(tree, path_of(one.key), one.key, one.value));
    normalise_data(tree);
  }
  return tree;
}

Result<void> read_data(std::string_view file, const Node& data, Job& job) {
  const At at{file, "data"};
  if (data.kind != Kind::kMap) {
    return refuse_value(At{file, {}}, data, "data", "a source, a list of sets, or {root, sets}");
  }
  SURETY_TRY(check_known(at, data, {"root", "sets"}));
  const Node* sets = data.find("sets");
  constexpr std::string_view kSets = "a list of at least one data set, such as [{source: ...}]";
  if (sets == nullptr) return refuse_missing(at, data, "sets", kSets);
  if (sets->kind != Kind::kList) return refuse_value(at, *sets, "sets", kSets);
  if (sets->children.empty()) {
    return refuse_value(at, yaml::scalar("an empty list", sets->place), "sets", kSets);
  }
  for (std::size_t i = 0; i < sets->children.size(); ++i) {
    DataSpec set;
    set.name = fmt::format("data-{}", i + 1);
    SURETY_TRY(
        read_section(At{file, fmt::format("data.{}", i)}, sets->children[i], data_set_keys(), set));
    job.data.push_back(std::move(set));
  }
  return {};
}

// `T`: the job, or the part of it that the section describes.
template <typename T>
Result<void> read_optional(std::string_view file, const Node& tree, const char* name,
                           std::span<const Key<T>> keys, T& out) {
  const Node* section = tree.find(name);
  if (section == nullptr) return {};
  return read_section(At{file, name}, *section, keys, out);
}

Result<void> read_policies(std::string_view file, const Node& tree, Job& job) {
  const Node* train = tree.find("train");
  const Node* policies = train == nullptr ? nullptr : train->find("policies");
  if (policies == nullptr) return {};
  return read_section(At{file, "train.policies"}, *policies, policy_keys(), job);
}

Result<void> read_nodes(std::string_view file, const Node& tree, Job& job) {
  const Node* cluster = tree.find("cluster");
  const Node* nodes = cluster == nullptr ? nullptr : cluster->find("nodes");
  if (nodes == nullptr) return {};
  const At at{file, "cluster"};
  if (nodes->kind != Kind::kList) return refuse_value(at, *nodes, "nodes", kNodesExpected);
  if (nodes->children.empty()) {
    return refuse_value(at, yaml::scalar("an empty list", nodes->place), "nodes", kNodesExpected);
  }
  std::vector<NodeTypeSpec> types;
  for (const Node& node : nodes->children) {
    NodeTypeSpec type;
    SURETY_TRY(read_section(At{file, fmt::format("cluster.nodes.{}", types.size())}, node,
                            node_type_keys(), type));
    types.push_back(std::move(type));
  }
  // `local` and `price` were read into the first type; check_job() refuses them beside `nodes`.
  job.cluster.nodes = std::move(types);
  return {};
}

Result<void> read_slurm(std::string_view file, const Node& tree, Job& job) {
  const Node* cluster = tree.find("cluster");
  const Node* slurm = cluster == nullptr ? nullptr : cluster->find("slurm");
  if (slurm == nullptr) return {};
  SURETY_TRY(
      read_section(At{file, "cluster.slurm"}, *slurm, slurm_keys(), job.cluster.slurm.emplace()));
  // check_job() refuses `local` and `nodes` beside `slurm`.
  job.cluster.nodes.front().name = "slurm";
  return {};
}

// The section that has this key; nothing for a key of the top, and for one that nobody knows.
std::optional<std::string_view> section_of(std::string_view key) {
  const auto has = [&](const auto& keys) {
    return std::ranges::any_of(keys, [&](const auto& one) { return one.name == key; });
  };
  if (has(top_keys())) return std::nullopt;
  if (has(promise_keys())) return "promise";
  if (has(model_keys())) return "model";
  if (has(train_keys())) return "train";
  if (has(profile_keys())) return "profile";
  if (has(cluster_keys())) return "cluster";
  if (has(trust_keys())) return "trust";
  return std::nullopt;
}

// A key of a section may have been written without the section's name.
Result<void> check_top(std::string_view file, const Node& tree) {
  for (std::size_t i = 0; i < tree.keys.size(); ++i) {
    const std::string& key = tree.keys[i];
    const auto section = section_of(key);
    if (!section) continue;
    return refuse_as(
        At{file, {}}, tree.children[i], key,
        {ErrorCode::kInvalidInput, fmt::format("unknown key, did you mean {}.{}?", *section, key)});
  }
  return {};
}

Result<void> read_sections(std::string_view file, const Node& tree, Job& job) {
  SURETY_TRY(check_top(file, tree));
  SURETY_TRY(read_section(At{file, {}}, tree, top_keys(), job));
  SURETY_TRY(read_optional(file, tree, "promise", promise_keys(), job));
  SURETY_TRY(read_data(file, *tree.find("data"), job));
  SURETY_TRY(read_optional(file, tree, "model", model_keys(), job));
  SURETY_TRY(read_optional(file, tree, "train", train_keys(), job));
  SURETY_TRY(read_policies(file, tree, job));
  SURETY_TRY(read_optional(file, tree, "profile", profile_keys(), job));
  SURETY_TRY(read_optional(file, tree, "cluster", cluster_keys(), job));
  SURETY_TRY(read_nodes(file, tree, job));
  SURETY_TRY(read_slurm(file, tree, job));
  SURETY_TRY(read_optional(file, tree, "coordinator", coordinator_keys(), job.coordinator));
  SURETY_TRY(read_optional(file, tree, "record", record_keys(), job.record));
  return read_optional(file, tree, "trust", trust_keys(), job.trust);
}

}  // namespace

Result<Override> parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail(ErrorCode::kInvalidInput,
                "--set {}: expected key=value, such as promise.target=0.5", excerpt(text));
  }
  if (first_byte_not_utf8(text)) {
    return fail(ErrorCode::kInvalidInput,
                "--set {}: found a byte that is not UTF-8, expected UTF-8 text",
                plain_text(text, kMessageBytesMax));
  }
  return Override{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<Job> parse_job(std::string_view file_name, std::string_view text,
                      const std::vector<Override>& overrides, double now_unix_s) {
  SURETY_TRY(Node tree, tree_of(file_name, text, overrides));
  SURETY_TRY(resolve_paths(file_name, tree));
  Job job;
  job.name = stem(file_name);
  SURETY_TRY(read_sections(file_name, tree, job));
  SURETY_TRY(check_job(file_name, tree, now_unix_s, job));
  if (tree.find("name") == nullptr) tree.put("name", yaml::scalar(job.name));
  job.text = "# The job as it was run: with --set applied and the paths of data resolved.\n" +
             yaml::write(tree);
  // The name of the file, and environment variables in it, may hold any bytes.
  if (first_byte_not_utf8(job.text)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found a byte that is not UTF-8 in the name of the file or in a path of data, "
                "expected UTF-8 text",
                plain_text(file_name, kMessageBytesMax));
  }
  return job;
}

}  // namespace surety::job
