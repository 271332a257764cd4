#include "job/job_tables.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/http_url.h"
#include "base/units.h"
#include "job/iso_time.h"
#include "job/job_names.h"

namespace surety::job {
namespace {

using yaml::Node;

// Reads one of `choices` by its name.
template <typename Choice>
Accepted read_one_of(const Node& node, std::initializer_list<Choice> choices, Choice& out) {
  std::vector<std::string> names;
  for (const Choice choice : choices) names.emplace_back(name_of(choice));
  std::string name;
  if (auto read = read_choice(node, names, name); !read) return read;
  out = *std::find_if(choices.begin(), choices.end(),
                      [&](Choice choice) { return name == name_of(choice); });
  return {};
}

Accepted read_metric(const Node& node, Job& job) {
  using plan::Metric;
  return read_one_of(node, {Metric::kValidationLoss, Metric::kAccuracy, Metric::kDualityGap},
                     job.promise.metric);
}

// A duration from the start of the run, or a point in time.
Accepted read_deadline(const Node& node, Job& job) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  if (looks_like_iso_time(node.text)) {
    const Result<double> at = parse_iso_time(node.text);
    if (!at) return refuse(at.error().message);
    job.deadline_unix_s = *at;
    return {};
  }
  const Result<Duration> duration = parse_duration(node.text);
  if (!duration || *duration <= Duration::zero()) return refuse();
  job.promise.deadline_s = to_seconds(*duration);
  return {};
}

Accepted read_budget(const Node& node, Job& job) {
  double budget = 0;
  const auto read = read_number(node, {.min = 0, .without_ends = true}, budget);
  if (!read) return read;
  job.promise.budget = budget;
  return {};
}

// For each version, the planner considers several choices of nodes, and the total number of choices
// in a plan is limited (plan/files/plan_ranges.cc).
constexpr std::size_t kVersionsMax = 16;

Accepted read_versions(const Node& node, Job& job) {
  if (node.kind != yaml::Kind::kList) return refuse();
  if (node.children.size() > kVersionsMax) {
    return refuse(fmt::format("{} versions are more than {}", node.children.size(), kVersionsMax));
  }
  std::vector<std::string> versions;
  for (const Node& child : node.children) {
    std::string version;
    if (auto read = read_version(child, version); !read) {
      const std::string word = yaml::found(child);
      const std::string& why = read.error().why;
      if (word.starts_with("prune:")) return refuse(fmt::format("{}: {}", word, why));
      return refuse(
          fmt::format("{} is neither full nor prune:F{}{}", word, why.empty() ? "" : "; ", why));
    }
    if (std::find(versions.begin(), versions.end(), version) != versions.end()) {
      return refuse(version + " is listed twice");
    }
    versions.push_back(std::move(version));
  }
  const auto full = std::find(versions.begin(), versions.end(), "full");
  if (full == versions.end()) return refuse("full is not among them");
  std::rotate(versions.begin(), full, full + 1);
  job.model.versions = std::move(versions);
  return {};
}

Accepted read_solver(const Node& node, Job& job) {
  return read_one_of(node, {Solver::kLocalSgd, Solver::kCocoa}, job.train.solver);
}

Accepted read_aggregation(const Node& node, Job& job) {
  return read_one_of(node, {Aggregation::kSafe, Aggregation::kAccelerated}, job.train.aggregation);
}

Accepted read_on_resize(const Node& node, Job& job) {
  using elastic::OnResize;
  return read_one_of(node, {OnResize::kKeepBatch, OnResize::kScaleRate, OnResize::kNone},
                     job.train.on_resize);
}

Accepted read_mode(const Node& node, Job& job) {
  return read_one_of(
      node, {TrainMode::kSync, TrainMode::kBatch, TrainMode::kBoundedStaleness, TrainMode::kAsync},
      job.train.mode.mode);
}

Accepted read_chunk_bytes(const Node& node, Job& job) {
  constexpr std::uint64_t kChunkBytesMin = 1
                                           << 10;  // Smaller ones cost more to track than to move.
  constexpr std::uint64_t kChunkBytesMax = 1 << 30;  // A chunk is moved whole, within an iteration.
  if (node.kind != yaml::Kind::kScalar) return refuse();
  const Result<std::uint64_t> bytes = parse_bytes(node.text);
  if (!bytes || *bytes < kChunkBytesMin || *bytes > kChunkBytesMax) return refuse();
  job.train.chunk_bytes = *bytes;
  return {};
}

Accepted read_fractions(const Node& node, Job& job) {
  if (node.kind != yaml::Kind::kList || node.children.empty()) return refuse();
  std::vector<double> fractions;
  for (const Node& child : node.children) {
    double fraction = 0;
    if (!read_number(child, {.min = 0, .max = 1}, fraction) || fraction == 0) {
      return refuse(yaml::found(child) + " is not above 0 and up to 1");
    }
    if (std::find(fractions.begin(), fractions.end(), fraction) != fractions.end()) {
      return refuse(yaml::found(child) + " is listed twice");
    }
    fractions.push_back(fraction);
  }
  job.profile.data_fractions = std::move(fractions);
  return {};
}

Accepted read_worker_counts(const Node& node, Job& job) {
  if (node.kind != yaml::Kind::kList || node.children.empty()) return refuse();
  std::vector<std::uint32_t> counts;
  for (const Node& child : node.children) {
    std::uint32_t count = 0;
    if (const Accepted accepted = read_count(child, 1, count); !accepted) return accepted;
    if (std::find(counts.begin(), counts.end(), count) != counts.end()) {
      return refuse(yaml::found(child) + " is listed twice");
    }
    counts.push_back(count);
  }
  job.profile.workers = std::move(counts);
  return {};
}

Accepted read_witnesses(const Node& node, RecordSpec& record) {
  if (node.kind != yaml::Kind::kList) return refuse();
  std::vector<std::string> urls;
  for (const Node& child : node.children) {
    if (Accepted read = read_text(child, urls.emplace_back()); !read) return read;
    if (!is_http_url(urls.back())) return refuse(yaml::found(child) + " is no such URL");
  }
  record.witnesses = std::move(urls);
  return {};
}

Accepted read_lease(const Node& node, CoordinatorSpec& coordinator) {
  constexpr double kLeaseMinS = 1;
  constexpr double kLeaseMaxS = 3600;
  double lease_s = 0;
  if (auto read = read_duration(node, lease_s); !read) return read;
  if (lease_s < kLeaseMinS || lease_s > kLeaseMaxS || lease_s != std::floor(lease_s)) {
    return refuse();
  }
  coordinator.lease_s = lease_s;
  return {};
}

// Each is a process on this machine with a copy of the model; more are surely a typing error.
Accepted read_local(const Node& node, std::uint32_t& out) {
  constexpr std::uint64_t kLocalMax = 1000;
  std::uint64_t count = 0;
  if (Accepted read = read_count(node, 0, kLocalMax, count); !read) return read;
  out = static_cast<std::uint32_t>(count);
  return {};
}

Accepted read_batch(const Node& node, Job& job) { return read_count(node, 1, job.train.batch); }
Accepted read_learning_rate(const Node& node, Job& job) {
  job.train.learning_rate_auto = node.kind == yaml::Kind::kScalar && node.text == "auto";
  if (job.train.learning_rate_auto) return {};
  return read_number(node, {.min = 0, .without_ends = true}, job.train.learning_rate);
}

Accepted read_momentum(const Node& node, double& out) {
  double momentum = 0;
  const Accepted read = read_number(node, {.min = 0, .max = 1}, momentum);
  if (read && momentum == 1) return refuse();
  if (read) out = momentum;
  return read;
}

// The number must be above 0. The default, which no number stands for, applies if the key is
// absent.
Accepted read_positive(const Node& node, double max, std::optional<double>& out) {
  double value = 0;
  if (const Accepted read = read_number(node, {.min = 0, .max = max}, value); !read) return read;
  if (value == 0) return refuse("for the default, leave the key out");
  out = value;
  return {};
}

Accepted read_average(const Node& node, Job& job) {
  if (node.kind == yaml::Kind::kScalar && node.text == "off") {
    job.train.average_passes.reset();
    return {};
  }
  return read_number(node, {.min = 0, .without_ends = true}, job.train.average_passes.emplace());
}

Accepted section(const Node&, Job&) { return {}; }

constexpr Key<Job> kTop[] = {
    {"name", "a name without '/', for the run folder", "the file's name without .yaml",
     [](const Node& node, Job& job) { return read_name(node, job.name); }},
    {"promise", "a mapping with at least target and deadline", kRequired, section},
    {"data", "a source such as digits://?samples=8000, a list of sets, or {root: DIR, sets: [...]}",
     kRequired, section},
    {"validation", "a source such as cifar10://test.bin.gz",
     "a fifth of the data, which `train.seed` chooses",
     [](const Node& node, Job& job) { return read_url(node, job.validation.emplace()); }},
    {"model", "a mapping with at least zoo", kRequired, section},
    {"train", "a mapping", "every default of it", section},
    {"profile", "a mapping", "every default of it", section},
    {"cluster", "a mapping", "every default of it", section},
    {"coordinator", "a mapping", "every default of it", section},
    {"record", "a mapping", "every default of it", section},
    {"trust", "a mapping", "every default of it", section},
};

constexpr Key<Job> kPromise[] = {
    {"metric", "validation_loss, accuracy or duality_gap", "validation_loss", read_metric},
    {"target", "a number: accuracy between 0 and 1, loss and gap above 0", kRequired,
     [](const Node& node, Job& job) {
       return read_number(node, {.min = -kNumberMax}, job.promise.target);
     }},
    {"probability", "a number between 0 and 1 (both excluded)", "0.95",
     [](const Node& node, Job& job) { return read_probability(node, job.promise.probability); }},
    {"confidence", "a number between 0 and 1 (both excluded)", "0.9",
     [](const Node& node, Job& job) { return read_probability(node, job.promise.confidence); }},
    {"deadline",
     "a duration with a unit such as 20min, up to 36500d, or a point in time such as "
     "2026-03-01T18:00:00Z",
     kRequired, read_deadline},
    {"budget", "a number above 0, in the money unit of the prices", "no limit", read_budget},
    {"best_effort", "on or off: continue training if the promise is refused", "off",
     [](const Node& node, Job& job) { return read_switch(node, job.best_effort); }},
};

constexpr Key<DataSpec> kDataSet[] = {
    {"name", "a name without '/'", "data-N, counted from 1",
     [](const Node& node, DataSpec& set) { return read_name(node, set.name); }},
    {"source", "a source such as idx://images.gz or cifar10:///data/batch.bin.gz", kRequired,
     [](const Node& node, DataSpec& set) { return read_url(node, set.source); }},
    {"site", "the name of the site where the data are", "anywhere",
     [](const Node& node, DataSpec& set) { return read_text(node, set.site.emplace()); }},
    {"price", "a number from 0: the cost of using it, paid once", "0",
     [](const Node& node, DataSpec& set) { return read_number(node, {.min = 0}, set.price); }},
};

constexpr Key<Job> kModel[] = {
    {"zoo",
     "logistic, svm, svm-l2, ridge, lasso, elastic-net, mlp, lenet5, alexnet, mobilenet or "
     "resnet20",
     kRequired,
     [](const Node& node, Job& job) { return read_choice(node, zoo_names(), job.model.zoo); }},
    {"versions", "a list with full and any of prune:F, such as [full, prune:0.5]", "[full]",
     read_versions},
};

constexpr Key<Job> kTrain[] = {
    {"solver", "local-sgd or cocoa", "cocoa for linear models; else local-sgd", read_solver},
    {"batch", "a whole number from 1 to 1000000", "32", read_batch},
    {"local_steps", "a whole number from 1 to 1000000", "16",
     [](const Node& node, Job& job) { return read_count(node, 1, job.train.local_steps); }},
    {"learning_rate", "a number above 0, or auto: several are tried", "0.01", read_learning_rate},
    {"momentum", "a number from 0 to below 1", "0.9",
     [](const Node& node, Job& job) { return read_momentum(node, job.train.momentum); }},
    {"weight_decay", "a number from 0", "0",
     [](const Node& node, Job& job) {
       return read_number(node, {.min = 0}, job.train.weight_decay);
     }},
    {"outer_momentum", "a number from 0 to below 1", "0",
     [](const Node& node, Job& job) { return read_momentum(node, job.train.outer_momentum); }},
    {"outer_learning_rate", "a number above 0", "1; 0.7 with outer_momentum",
     [](const Node& node, Job& job) {
       return read_number(node, {.min = 0, .without_ends = true}, job.train.outer_learning_rate);
     }},
    {"average", "a number of passes above 0, or off", "2", read_average},
    {"lambda", "a number above 0", "1 / samples",
     [](const Node& node, Job& job) { return read_positive(node, kNumberMax, job.train.lambda); }},
    {"l1_ratio", "a number from 0 to 1", "0; 0.5 for elastic-net; 1 for lasso",
     [](const Node& node, Job& job) {
       return read_number(node, {.min = 0, .max = 1}, job.train.l1_ratio);
     }},
    {"aggregation", "safe or accelerated", "accelerated", read_aggregation},
    {"tasks_per_node", "a whole number from 1 to 1000000", "1",
     [](const Node& node, Job& job) { return read_count(node, 1, job.train.tasks_per_node); }},
    {"micro_tasks", "a whole number from 1 to 1000000", "none",
     [](const Node& node, Job& job) {
       return read_count(node, 1, job.train.micro_tasks.emplace());
     }},
    {"on_resize", "keep_batch, scale_rate or none", "keep_batch", read_on_resize},
    {"mode", "sync, batch, bounded or async", "sync", read_mode},
    {"quorum", "a whole number from 1 to 1000000", "a third of the workers, 2 at least",
     [](const Node& node, Job& job) {
       return read_count(node, 1, job.train.mode.quorum.emplace());
     }},
    {"ahead", "a whole number of updates from 0 to 1000000", "2",
     [](const Node& node, Job& job) { return read_count(node, 0, job.train.mode.ahead); }},
    {"staleness_max", "a whole number of versions from 1 to 18446744073709551615", "no limit",
     [](const Node& node, Job& job) {
       return read_count(node, 1, UINT64_MAX, job.train.mode.staleness_max.emplace());
     }},
    {"overlap", "on or off", "on",
     [](const Node& node, Job& job) { return read_switch(node, job.train.mode.overlap); }},
    {"update_weight", "a number above 0, up to 1", "1 / workers",
     [](const Node& node, Job& job) {
       return read_positive(node, 1, job.train.mode.update_weight);
     }},
    {"updates", "a whole number from 1 to 1000000", "16",
     [](const Node& node, Job& job) { return read_count(node, 1, job.train.mode.updates); }},
    {"seed", "a whole number from 0 to 18446744073709551615", "1",
     [](const Node& node, Job& job) { return read_count(node, 0, UINT64_MAX, job.train.seed); }},
    {"passes_max", "a whole number from 1 to 1000000", "200",
     [](const Node& node, Job& job) { return read_count(node, 1, job.train.passes_max); }},
    {"chunk_bytes", "a size with a unit, such as 1MiB, from 1KiB to 1GiB", "1MiB",
     read_chunk_bytes},
    {"policies", "a mapping of elastic policies to on or off", "every default of it", section},
};

constexpr Key<Job> kPolicies[] = {
    {"rebalance", "on or off", "on",
     [](const Node& node, Job& job) { return read_switch(node, job.train.policies.rebalance); }},
    {"cut_off", "on or off", "on",
     [](const Node& node, Job& job) { return read_switch(node, job.train.policies.cut_off); }},
    {"shuffle", "on or off", "on with cocoa, off with local-sgd",
     [](const Node& node, Job& job) { return read_switch(node, job.train.policies.shuffle); }},
    {"scale_in", "on or off", "on where the promise is a duality gap, else off",
     [](const Node& node, Job& job) { return read_switch(node, job.train.policies.scale_in); }},
};

constexpr Key<Job> kProfile[] = {
    {"seeds", "a whole number from 2 to 1000000: one run does not show how much runs differ",
     "as many as the promise needs",
     [](const Node& node, Job& job) {
       return read_count(node, kProfileSeedsMin, job.profile.seeds);
     }},
    {"passes", "a whole number from 3 to 1000000: a curve needs three points", "4",
     [](const Node& node, Job& job) { return read_count(node, 3, job.profile.passes); }},
    {"data_fractions", "a list of different numbers above 0 and up to 1", "[1]", read_fractions},
    {"workers",
     "a list of different worker counts from 1 to 1000000, which the plan may choose from",
     "all of them", read_worker_counts},
    {"library",
     "on or off: use the results of earlier jobs of this kind, and add an entry for later ones",
     "on", [](const Node& node, Job& job) { return read_switch(node, job.profile.library); }},
};

constexpr Key<Job> kCluster[] = {
    {"local", "a whole number from 0 to 1000: worker processes on this machine",
     "1, or 0 where listen is written",
     [](const Node& node, Job& job) { return read_local(node, job.cluster.nodes.front().local); }},
    {"workers_min", "a whole number from 1 to 1000000", "1",
     [](const Node& node, Job& job) { return read_count(node, 1, job.cluster.workers_min); }},
    {"listen", "HOST:PORT for workers that join, where port 0 is any free one",
     "none: only this user's processes on this machine may join",
     [](const Node& node, Job& job) { return read_address(node, job.cluster.listen.emplace()); }},
    {"price", "a price per worker with a unit, such as 0.36/h", "1/h",
     [](const Node& node, Job& job) {
       return read_per_second(node, job.cluster.nodes.front().price_per_s);
     }},
    {"wait",
     "a duration with a unit, such as 3min, up to 36500d; 0s: workers end with their coordinator",
     "3min", [](const Node& node, Job& job) { return read_duration(node, job.cluster.wait_s); }},
    {"spill", "a folder on each machine that workers are started on", "none: samples are in memory",
     [](const Node& node, Job& job) { return read_text(node, job.cluster.spill.emplace()); }},
    {"nodes", kNodesExpected, "one type, local", section},
    {"slurm", "a mapping, or {} for its defaults", "workers are started here", section},
};

constexpr const char* kPemFile = "an absolute path of a file in PEM";

constexpr Key<CoordinatorSpec> kCoordinator[] = {
    {"standby", "on or off", "off",
     [](const Node& node, CoordinatorSpec& out) { return read_switch(node, out.standby); }},
    {"etcd", "a list of HOST:PORT, the members of an etcd", "[127.0.0.1:2379]",
     [](const Node& node, CoordinatorSpec& out) { return read_addresses(node, out.etcd); }},
    {"etcd_ca", kPemFile, "none: no encryption",
     [](const Node& node, CoordinatorSpec& out) {
       return read_absolute_path(node, out.etcd_ca.emplace());
     }},
    {"etcd_cert", kPemFile, "none",
     [](const Node& node, CoordinatorSpec& out) {
       return read_absolute_path(node, out.etcd_cert.emplace());
     }},
    {"etcd_key", kPemFile, "none",
     [](const Node& node, CoordinatorSpec& out) {
       return read_absolute_path(node, out.etcd_key.emplace());
     }},
    {"lease", "whole seconds from 1s to 1h, such as 2s", "2s", read_lease},
};

constexpr Key<RecordSpec> kRecord[] = {
    {"witnesses", "a list of URLs, such as [http://10.0.0.7:7780]", "none", read_witnesses},
};

constexpr Key<TrustSpec> kTrust[] = {
    {"measure_again", "on or off: a new process measures the certified model again", "on",
     [](const Node& node, TrustSpec& trust) { return read_switch(node, trust.measure_again); }},
};

constexpr Key<SlurmSpec> kSlurm[] = {
    {"poll", "a duration above 0 with a unit, such as 10s, up to 36500d", "10s",
     [](const Node& node, SlurmSpec& slurm) {
       const auto read = read_duration(node, slurm.poll_interval_s);
       if (read && slurm.poll_interval_s <= 0) return Accepted(refuse());
       return read;
     }},
    {"notice", "a duration with a unit, such as 25s, up to 36500d", "25s",
     [](const Node& node, SlurmSpec& slurm) { return read_duration(node, slurm.notice_s); }},
};

constexpr Key<NodeTypeSpec> kNodeType[] = {
    {"name", "a name without spaces, such as spot", kRequired,
     [](const Node& node, NodeTypeSpec& type) { return read_word(node, type.name); }},
    {"local", "a whole number from 0 to 1000: worker processes of this type on this machine", "0",
     [](const Node& node, NodeTypeSpec& type) { return read_local(node, type.local); }},
    {"join",
     "a whole number from 0 to 1000000: workers of this type that may join from other machines",
     "0", [](const Node& node, NodeTypeSpec& type) { return read_count(node, 0, type.join); }},
    {"price", "a price per node with a unit, such as 0.36/h", kRequired,
     [](const Node& node, NodeTypeSpec& type) { return read_per_second(node, type.price_per_s); }},
    {"speed", "a number above 0, relative to the first type", "1",
     [](const Node& node, NodeTypeSpec& type) {
       return read_number(node, {.min = 0, .without_ends = true}, type.speed);
     }},
    {"preempted", "how often a node is preempted, with a unit such as 6/h", "never",
     [](const Node& node, NodeTypeSpec& type) {
       return read_per_second(node, type.preemptions_per_s);
     }},
    {"restart", "a duration with a unit such as 10s, up to 36500d", "10s",
     [](const Node& node, NodeTypeSpec& type) { return read_duration(node, type.restart_s); }},
    {"start", "a duration with a unit such as 30s, up to 36500d", "0s",
     [](const Node& node, NodeTypeSpec& type) { return read_duration(node, type.start_s); }},
    {"memory", "a size above 0 with a unit, such as 4GiB, up to 8192TiB", "enough",
     [](const Node& node, NodeTypeSpec& type) {
       return read_bytes(node, type.memory_bytes.emplace());
     }},
};

}  // namespace

std::span<const Key<Job>> top_keys() { return kTop; }
std::span<const Key<Job>> promise_keys() { return kPromise; }
std::span<const Key<DataSpec>> data_set_keys() { return kDataSet; }
std::span<const Key<Job>> model_keys() { return kModel; }
std::span<const Key<Job>> train_keys() { return kTrain; }
std::span<const Key<Job>> policy_keys() { return kPolicies; }
std::span<const Key<Job>> profile_keys() { return kProfile; }
std::span<const Key<Job>> cluster_keys() { return kCluster; }
std::span<const Key<CoordinatorSpec>> coordinator_keys() { return kCoordinator; }
std::span<const Key<RecordSpec>> record_keys() { return kRecord; }
std::span<const Key<TrustSpec>> trust_keys() { return kTrust; }
std::span<const Key<NodeTypeSpec>> node_type_keys() { return kNodeType; }
std::span<const Key<SlurmSpec>> slurm_keys() { return kSlurm; }

}  // namespace surety::job
