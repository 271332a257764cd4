#include "job/job_check.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/units.h"
#include "data/url.h"
#include "job/job.h"
#include "job/job_names.h"
#include "job/job_section.h"
#include "model/zoo.h"
#include "plan/support.h"

namespace surety::job {
namespace {

// The job as written, to find the place of a key; an absent key has the place of its section.
struct Written {
  std::string_view file;
  const yaml::Node& tree;

  [[nodiscard]] const yaml::Node* find(std::string_view section, std::string_view key) const {
    const yaml::Node* map = tree.find(section);
    return map == nullptr ? nullptr : map->find(key);
  }
  [[nodiscard]] tl::unexpected<Error> refuse(std::string_view section, std::string_view key,
                                             std::string_view expected, std::string why) const {
    if (const yaml::Node* node = find(section, key)) {
      return refuse_value(At{file, std::string(section)}, *node, key, expected, {std::move(why)});
    }
    const yaml::Node* map = tree.find(section);
    return fail(ErrorCode::kInvalidInput, "{}: {}.{}: missing, expected {}: {}",
                yaml::where((map == nullptr ? tree : *map).place, file), section, key, expected,
                why);
  }
};

Result<void> check_target(const Written& written, const Job& job) {
  const double target = job.promise.target;
  if (job.promise.metric != plan::Metric::kAccuracy) {
    if (target > 0) return {};
    return written.refuse("promise", "target", "a number above 0",
                          fmt::format("{} never falls that low", name_of(job.promise.metric)));
  }
  if (target > 0 && target < 1) return {};
  const bool percent = target > 1 && target < 100;
  return written.refuse("promise", "target", "an accuracy between 0 and 1 (both excluded)",
                        percent ? fmt::format("{} % is {}", target, target / 100)
                                : std::string("the share of correct predictions"));
}

Result<void> check_deadline(const Written& written, double now_unix_s, Job& job) {
  if (!job.deadline_unix_s) return {};
  const double left_s = *job.deadline_unix_s - now_unix_s;
  if (left_s <= 0) {
    const auto ago = from_seconds(std::min(-left_s, 9e9));  // Durations hold 292 years.
    return written.refuse("promise", "deadline", "a point in time in the future",
                          fmt::format("it passed {} ago", format_duration(ago)));
  }
  job.promise.deadline_s = left_s;
  return {};
}

Result<void> check_model(const Written& written, Job& job) {
  const bool linear = model::is_linear(job.model.zoo);
  if (written.find("train", "solver") == nullptr) {
    job.train.solver = linear ? Solver::kCocoa : Solver::kLocalSgd;
  }
  const yaml::Node* policies = written.find("train", "policies");
  if (policies == nullptr || policies->find("shuffle") == nullptr) {
    job.train.policies.shuffle = job.train.solver == Solver::kCocoa;
  }
  const bool has_gap = job.promise.metric == plan::Metric::kDualityGap;
  if (policies == nullptr || policies->find("scale_in") == nullptr) {
    job.train.policies.scale_in = job.train.solver == Solver::kCocoa && has_gap;
  } else if (job.train.policies.scale_in && !has_gap) {
    return refuse_value(At{written.file, "train.policies"}, *policies->find("scale_in"), "scale_in",
                        "off, or promise.metric: duality_gap",
                        {"it decides by how the duality gap falls"});
  }
  if (linear && job.train.solver != Solver::kCocoa) {
    return written.refuse("train", "solver", "cocoa",
                          fmt::format("{} is trained in its dual form", job.model.zoo));
  }
  if (!linear && job.train.solver == Solver::kCocoa) {
    return written.refuse("train", "solver", "local-sgd",
                          fmt::format("cocoa trains linear models, not {}", job.model.zoo));
  }
  if (linear && job.model.versions.size() > 1) {
    return written.refuse("model", "versions", "[full]",
                          fmt::format("{} has no channels to prune", job.model.zoo));
  }
  return {};
}

Result<void> check_metric(const Written& written, const Job& job) {
  if (job.promise.metric == plan::Metric::kDualityGap && job.train.solver != Solver::kCocoa) {
    return written.refuse(
        "promise", "metric", "validation_loss or accuracy",
        fmt::format("only a linear model has a duality gap, not {}", job.model.zoo));
  }
  if (job.promise.metric == plan::Metric::kAccuracy && model::is_regression(job.model.zoo)) {
    return written.refuse(
        "promise", "metric", "validation_loss or duality_gap",
        fmt::format("{} predicts numbers, which have no accuracy", job.model.zoo));
  }
  return {};
}

// Sets how much of the penalty is an L1 norm. If there is an L1 norm, the user must give its
// weight.
Result<void> check_l1_ratio(const Written& written, Job& job) {
  const std::string& zoo = job.model.zoo;
  double& ratio = job.train.l1_ratio;
  const bool is_written = written.find("train", "l1_ratio") != nullptr;
  if (is_written && !model::is_linear(zoo)) {
    return written.refuse("train", "l1_ratio", "nothing with local-sgd",
                          "networks are regularised by train.weight_decay");
  }
  if (!is_written && zoo == "lasso") ratio = 1;
  if (!is_written && zoo == "elastic-net") ratio = 0.5;
  if (zoo == "lasso" && ratio != 1) {
    return written.refuse(
        "train", "l1_ratio", "1 or nothing with lasso",
        "for an L1 norm together with a squared norm, use model.zoo: elastic-net");
  }
  if (zoo == "ridge" && ratio != 0) {
    return written.refuse(
        "train", "l1_ratio", "0 or nothing with ridge",
        "for an L1 norm together with a squared norm, use model.zoo: elastic-net");
  }
  if (ratio == 0 || job.train.lambda) return {};
  return written.refuse(
      "train", "lambda", "a number above 0",
      "an L1 norm with the default weight 1 / samples makes hardly any weight zero");
}

// The rate that DiLoCo's authors found best with momentum 0.9.
void choose_outer_rate(const Written& written, Job& job) {
  static constexpr double kRate = 0.7;
  if (job.train.outer_momentum == 0) return;
  if (written.find("train", "outer_learning_rate") == nullptr)
    job.train.outer_learning_rate = kRate;
}

// Refuses keys that have no meaning in the job's train.mode.
Result<void> check_mode(const Written& written, const Job& job) {
  const TrainMode mode = job.train.mode.mode;
  struct Needs {
    const char* key;
    bool used;
    const char* modes;
  };
  const bool waits = mode == TrainMode::kSync;
  if (!waits && job.train.solver == Solver::kCocoa && written.find("train", "update_weight")) {
    return written.refuse(
        "train", "update_weight", "nothing with cocoa",
        "its model is a sum over the dual variables, so each update is added in full");
  }
  for (const Needs& needs :
       {Needs{"quorum", mode == TrainMode::kBatch, "batch"},
        Needs{"ahead", mode == TrainMode::kBoundedStaleness, "bounded"},
        Needs{"staleness_max", !waits, "batch, bounded or async"},
        Needs{"overlap", !waits, "batch, bounded or async"},
        Needs{"update_weight", !waits, "batch, bounded or async"},
        Needs{"updates", !waits, "batch, bounded or async"}, Needs{"tasks_per_node", waits, "sync"},
        Needs{"micro_tasks", waits, "sync"}}) {
    if (needs.used || written.find("train", needs.key) == nullptr) continue;
    return written.refuse("train", needs.key, "nothing in this mode",
                          fmt::format("this key is only for train.mode: {}", needs.modes));
  }
  return {};
}

// The samples that a worker learns from in an iteration are counted in 32 bits.
Result<void> check_iteration(const Written& written, const Job& job) {
  constexpr std::uint64_t kSamplesMax = 1'000'000'000;
  const bool waits = job.train.mode.mode == TrainMode::kSync;
  const std::uint64_t batch = job.train.batch;
  // Samples of an iteration with one local step.
  const std::uint64_t each = batch * (waits ? 1 : job.train.mode.updates);
  const std::string why = fmt::format(
      "a worker would learn from {:.3g} samples in one iteration: batch, local_steps{} multiplied",
      static_cast<double>(each) * job.train.local_steps, waits ? "" : " and updates");
  if (each > kSamplesMax) {
    return written.refuse("train", "updates", fmt::format("at most {}", kSamplesMax / batch), why);
  }
  if (job.train.local_steps <= kSamplesMax / each) return {};
  return written.refuse("train", "local_steps", fmt::format("at most {}", kSamplesMax / each), why);
}

// A key that would have no effect is a mistake of the user.
Result<void> check_used(const Written& written, const Job& job) {
  if (job.train.solver == Solver::kLocalSgd) {
    if (written.find("train", "aggregation") != nullptr) {
      return written.refuse("train", "aggregation", "nothing with local-sgd",
                            "it averages models, weighted by samples");
    }
    for (const std::string_view key : {"tasks_per_node", "micro_tasks"}) {
      if (written.find("train", key) == nullptr) continue;
      return written.refuse("train", key, "nothing with local-sgd",
                            "a worker takes its steps one after the other");
    }
    if (written.find("train", "lambda") == nullptr) return {};
    return written.refuse("train", "lambda", "nothing with local-sgd",
                          "networks are regularised by train.weight_decay");
  }
  if (job.train.micro_tasks) {
    for (const std::string_view key : {"tasks_per_node", "chunk_bytes"}) {
      if (written.find("train", key) == nullptr) continue;
      return written.refuse("train", key, "nothing with train.micro_tasks",
                            "each micro-task is one chunk and one task");
    }
  }
  for (const std::string_view key : {"learning_rate", "momentum", "weight_decay", "outer_momentum",
                                     "outer_learning_rate", "average"}) {
    if (written.find("train", key) == nullptr) continue;
    return written.refuse("train", key, "nothing with cocoa",
                          "it has no step size; regularisation is set by train.lambda");
  }
  if (written.find("train", "on_resize") != nullptr) {
    return written.refuse("train", "on_resize", "nothing with cocoa",
                          "its iterations are whole passes, for any number of workers");
  }
  return {};
}

Result<void> check_local(const Written& written, Job& job) {
  NodeTypeSpec& type = job.cluster.nodes.front();
  const bool others_join = written.find("cluster", "listen") != nullptr;
  if (written.find("cluster", "local") == nullptr) type.local = others_join ? 0 : 1;
  if (others_join) return {};
  constexpr const char* kOrListen = "or write cluster.listen for workers that join";
  if (type.local == 0) {
    return written.refuse("cluster", "local", "a whole number from 1",
                          fmt::format("without workers nothing is trained; {}", kOrListen));
  }
  if (job.cluster.workers_min > type.local) {
    return written.refuse("cluster", "workers_min", fmt::format("at most {}", type.local),
                          fmt::format("cluster.local starts no more; {}", kOrListen));
  }
  return {};
}

// Refuses a value in cluster.nodes.N that is valid by itself, but not together with others.
tl::unexpected<Error> refuse_node(const Written& written, std::size_t index, std::string_view key,
                                  std::string_view expected, std::string why) {
  const yaml::Node& map = written.find("cluster", "nodes")->children[index];
  const yaml::Node* node = map.find(key);
  return refuse_value(At{written.file, fmt::format("cluster.nodes.{}", index)},
                      node == nullptr ? yaml::scalar("nothing", map.place) : *node, key, expected,
                      {std::move(why)});
}

Result<void> check_node_type(const Written& written, const std::vector<NodeTypeSpec>& types,
                             std::size_t index) {
  const NodeTypeSpec& type = types[index];
  for (std::size_t before = 0; before < index; ++before) {
    if (types[before].name != type.name) continue;
    return refuse_node(written, index, "name", "a name that no other node type has", "");
  }
  if (type.local + type.join == 0) {
    return refuse_node(written, index, "local", "a whole number from 1",
                       "there would be no worker of this type; or write join for workers that join "
                       "from other machines");
  }
  if (index == 0 && type.speed != 1) {
    return refuse_node(
        written, index, "speed", "1 for the first type",
        "profiles are measured on it, and the speeds of other types are relative to it");
  }
  const yaml::Node& map = written.find("cluster", "nodes")->children[index];
  if (map.find("restart") != nullptr && type.preemptions_per_s == 0) {
    return refuse_node(written, index, "restart", "nothing without preempted",
                       "a node that is never preempted never restarts");
  }
  return {};
}

Result<void> check_node_types(const Written& written, const Job& job) {
  for (const std::string_view key : {"local", "price"}) {
    if (written.find("cluster", key) == nullptr) continue;
    return written.refuse("cluster", key, "nothing beside cluster.nodes",
                          fmt::format("write {} for each type there", key));
  }
  const std::vector<NodeTypeSpec>& types = job.cluster.nodes;
  for (std::size_t i = 0; i < types.size(); ++i) SURETY_TRY(check_node_type(written, types, i));
  const std::uint32_t first = types.front().local + types.front().join;
  const std::string at_most = fmt::format("at most {}", first);
  const std::string why = fmt::format(
      "profiles are measured on {}, and there are no more nodes of this type", types.front().name);
  if (job.cluster.workers_min > first) {
    return written.refuse("cluster", "workers_min", at_most, why);
  }
  return {};
}

// The number of nodes is known only inside the allocation (runtime/slurm/slurm.h).
Result<void> check_slurm(const Written& written) {
  for (const std::string_view key : {"local", "nodes"}) {
    if (written.find("cluster", key) == nullptr) continue;
    return written.refuse("cluster", key, "nothing beside cluster.slurm",
                          "the workers are those of the allocation, one per node");
  }
  return {};
}

Result<void> check_cluster(const Written& written, Job& job) {
  if (job.cluster.slurm) return check_slurm(written);
  if (written.find("cluster", "nodes") == nullptr) return check_local(written, job);
  return check_node_types(written, job);
}

Result<void> check_etcd_files(const Written& written, const CoordinatorSpec& coordinator) {
  const std::pair<const char*, bool> files[] = {{"etcd_ca", coordinator.etcd_ca.has_value()},
                                                {"etcd_cert", coordinator.etcd_cert.has_value()},
                                                {"etcd_key", coordinator.etcd_key.has_value()}};
  const auto missing = std::ranges::find(files, false, &std::pair<const char*, bool>::second);
  const bool any = std::ranges::any_of(files, &std::pair<const char*, bool>::second);
  if (!any || missing == std::end(files)) return {};
  return written.refuse("coordinator", missing->first, "a file",
                        "TLS with etcd needs etcd_ca, etcd_cert and etcd_key");
}

Result<void> check_coordinator(const Written& written, const Job& job) {
  if (!job.coordinator.standby) {
    for (const std::string_view key : {"etcd", "etcd_ca", "etcd_cert", "etcd_key", "lease"}) {
      if (written.find("coordinator", key) == nullptr) continue;
      return written.refuse("coordinator", key, "nothing without coordinator.standby: on",
                            "without a standby there is no election");
    }
    return {};
  }
  SURETY_TRY(check_etcd_files(written, job.coordinator));
  if (!job.cluster.slurm) return {};
  return written.refuse("coordinator", "standby", "off with cluster.slurm",
                        "workers of an allocation end with the coordinator that started them");
}

Result<void> check_data_names(const Written& written, const Job& job) {
  std::set<std::string> names{"validation"};  // Messages name the validation data so.
  const yaml::Node* sets = written.find("data", "sets");
  for (std::size_t i = 0; i < job.data.size(); ++i) {
    if (names.insert(job.data[i].name).second) continue;
    const yaml::Node& set = sets->children[i];
    const yaml::Node* name = set.find("name");
    return refuse_value(At{written.file, fmt::format("data.{}", i)},
                        name == nullptr ? yaml::scalar(job.data[i].name, set.place) : *name, "name",
                        "a name other than validation that no other data set has");
  }
  return {};
}

// The code that opens a source checks what follows the scheme. Scheme and options are checked here,
// where the line is known.
Result<void> check_sources(const Written& written, const Job& job) {
  const yaml::Node* sets = written.find("data", "sets");
  for (std::size_t i = 0; i < job.data.size(); ++i) {
    const Result<data::SourceUrl> url = data::parse_url(job.data[i].source);
    if (url) continue;
    return refuse_as(At{written.file, fmt::format("data.{}", i)}, *sets->children[i].find("source"),
                     "source", url.error());
  }
  if (!job.validation) return {};
  const Result<data::SourceUrl> url = data::parse_url(*job.validation);
  if (url) return {};
  return refuse_as(At{written.file, {}}, *written.tree.find("validation"), "validation",
                   url.error());
}

// If no data set may be left out, the data sets are paid before the first pass begins.
Result<void> check_budget(const Written& written, const Job& job) {
  double prices = 0;
  for (const DataSpec& set : job.data) prices += set.price;
  if (!job.promise.budget || !has_pool(job) || prices < *job.promise.budget) return {};
  return written.refuse("promise", "budget", fmt::format("more than {:.6g}", prices),
                        "the data sets alone cost that much, so no money would be left for a pass");
}

void fill_in_seeds(const Written& written, Job& job) {
  static constexpr std::uint32_t kMost = 100;  // Largest number that is chosen by default.
  if (written.find("profile", "seeds") != nullptr) return;
  job.profile.seeds =
      std::clamp(plan::seeds_to_support(job.promise.probability), kProfileSeedsMin, kMost);
}

}  // namespace

Result<void> check_seeds(std::string_view file, const Job& job) {
  const std::uint32_t needed = plan::seeds_to_support(job.promise.probability);
  if (job.profile.seeds >= needed) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: profile.seeds: found {}, expected at least {}: fewer cannot support the "
              "promised probability of {:.6g} (the found number supports at most {:.2g})",
              file, job.profile.seeds, needed, job.promise.probability,
              plan::most_supported(job.profile.seeds));
}

Result<void> check_rate(std::string_view file, const Job& job, bool is_run) {
  if (!job.train.learning_rate_auto || (is_run && has_pool(job))) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: train.learning_rate: found auto, expected a number: only  surety run  without "
              "profile.data_fractions tries several rates",
              file);
}

Result<void> check_profile_workers(std::string_view file, const Job& job) {
  // If the coordinator listens, workers may join from elsewhere. An allocation may get more nodes.
  const bool is_one_type = job.cluster.nodes.size() == 1;
  if (job.cluster.slurm || (job.cluster.listen && is_one_type)) return {};
  const NodeTypeSpec& type = job.cluster.nodes.front();
  const std::uint32_t most = type.local + type.join;
  for (const std::uint32_t count : job.profile.workers) {
    if (count <= most) continue;
    return fail(ErrorCode::kInvalidInput,
                "{}: profile.workers: found {}, expected counts up to {}: profiles are measured on "
                "{}, and the job has no more nodes of this type; raise cluster.local, or write "
                "cluster.listen for workers that join",
                file, count, most, type.name);
  }
  return {};
}

Result<void> check_job(std::string_view file, const yaml::Node& tree, double now_unix_s, Job& job) {
  const Written written{file, tree};
  SURETY_TRY(check_target(written, job));
  SURETY_TRY(check_deadline(written, now_unix_s, job));
  SURETY_TRY(check_model(written, job));
  SURETY_TRY(check_metric(written, job));
  SURETY_TRY(check_used(written, job));
  SURETY_TRY(check_mode(written, job));
  SURETY_TRY(check_iteration(written, job));
  SURETY_TRY(check_l1_ratio(written, job));
  choose_outer_rate(written, job);
  SURETY_TRY(check_cluster(written, job));
  SURETY_TRY(check_coordinator(written, job));
  fill_in_seeds(written, job);
  SURETY_TRY(check_sources(written, job));
  SURETY_TRY(check_budget(written, job));
  return check_data_names(written, job);
}

}  // namespace surety::job
