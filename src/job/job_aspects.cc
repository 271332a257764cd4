#include "job/job_aspects.h"

#include <fmt/ranges.h>

#include "job/iso_time.h"
#include "job/job_names.h"

namespace surety::job {
namespace {

class Aspects {
 public:
  explicit Aspects(plan::MadeFor& made_for) : made_for_(made_for) {}

  void put(std::string key, std::string value) {
    made_for_.aspects.insert_or_assign(std::move(key), std::move(value));
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void put(std::string key, Number value) { put(std::move(key), fmt::format("{}", value)); }
  // `absent` is the text for a missing value.
  template <typename Number>
  void put(std::string key, const std::optional<Number>& value, const std::string& absent) {
    value ? put(std::move(key), *value) : put(std::move(key), absent);
  }
  void put_switch(std::string key, bool value) { put(std::move(key), value ? "on" : "off"); }

 private:
  plan::MadeFor& made_for_;
};

// "idx:///data/images.gz?labels=/data/labels.gz" becomes "idx://images.gz?labels=labels.gz",
// because the same files may be in another folder later.
std::string without_folders(std::string_view url) {
  std::string text;
  std::string_view rest = url;
  const auto take_to = [&](std::size_t end, bool is_option) {
    const std::string_view part = rest.substr(0, end);
    const std::size_t slash = part.rfind('/');
    const std::size_t begin = is_option ? part.find('=') + 1 : 0;
    text += part.substr(0, begin);
    text += part.substr(slash == std::string_view::npos ? begin : std::max(begin, slash + 1));
    rest.remove_prefix(part.size());
  };
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    text = url.substr(0, scheme + 3);
    rest.remove_prefix(scheme + 3);
  }
  take_to(rest.find('?'), false);
  while (!rest.empty()) {
    text += rest.front();
    rest.remove_prefix(1);
    take_to(rest.find('&'), true);
  }
  return text;
}

void put_source(Aspects& aspects, const std::string& key, const data::SourceInfo& source) {
  aspects.put(key + ".source", without_folders(source.url));
  aspects.put(key + ".samples", source.samples);
  aspects.put(key + ".features", source.schema.features);
  aspects.put(key + ".classes", source.schema.classes);
  aspects.put(key + ".content", fmt::format("{:016x}", source.content.value_or(0)));
}

void put_promise(Aspects& aspects, const Job& job) {
  const plan::Promise& promise = job.promise;
  aspects.put("promise.metric", name_of(promise.metric));
  aspects.put("promise.target", promise.target);
  aspects.put("promise.probability", promise.probability);
  aspects.put("promise.confidence", promise.confidence);
  aspects.put("promise.deadline", job.deadline_unix_s ? format_iso_time(*job.deadline_unix_s)
                                                      : fmt::format("{}s", promise.deadline_s));
  if (promise.budget) aspects.put("promise.budget", *promise.budget);
}

void put_local_sgd(Aspects& aspects, const TrainSpec& train) {
  if (train.learning_rate_auto) {
    aspects.put("train.learning_rate", std::string("auto"));
  } else {
    aspects.put("train.learning_rate", train.learning_rate);
  }
  aspects.put("train.momentum", train.momentum);
  aspects.put("train.weight_decay", train.weight_decay);
  aspects.put("train.outer_momentum", train.outer_momentum);
  aspects.put("train.outer_learning_rate", train.outer_learning_rate);
  aspects.put("train.on_resize", name_of(train.on_resize));
  aspects.put("train.average", train.average_passes, "off");
}

void put_cocoa(Aspects& aspects, const TrainSpec& train) {
  aspects.put("train.lambda", train.lambda, "1 / samples");
  aspects.put("train.l1_ratio", train.l1_ratio);
  aspects.put("train.aggregation", name_of(train.aggregation));
  aspects.put("train.tasks_per_node", train.tasks_per_node);
  aspects.put("train.micro_tasks", train.micro_tasks, "none");
}

void put_mode(Aspects& aspects, const ModeSpec& mode) {
  aspects.put("train.mode", name_of(mode.mode));
  if (mode.mode == TrainMode::kSync) return;
  if (mode.mode == TrainMode::kBatch) {
    aspects.put("train.quorum", mode.quorum, "a third of the workers");
  }
  if (mode.mode == TrainMode::kBoundedStaleness) aspects.put("train.ahead", mode.ahead);
  aspects.put("train.staleness_max", mode.staleness_max, "no limit");
  aspects.put_switch("train.overlap", mode.overlap);
  aspects.put("train.update_weight", mode.update_weight, "1 / workers");
  aspects.put("train.updates", mode.updates);
}

void put_train(Aspects& aspects, const TrainSpec& train) {
  const bool cocoa = train.solver == Solver::kCocoa;
  aspects.put("train.solver", name_of(train.solver));
  aspects.put("train.batch", train.batch);
  aspects.put("train.local_steps", train.local_steps);
  aspects.put("train.passes_max", train.passes_max);
  aspects.put("train.chunk_bytes", train.chunk_bytes);
  cocoa ? put_cocoa(aspects, train) : put_local_sgd(aspects, train);
  put_mode(aspects, train.mode);
  aspects.put_switch("train.policies.rebalance", train.policies.rebalance);
  aspects.put_switch("train.policies.cut_off", train.policies.cut_off);
  aspects.put_switch("train.policies.shuffle", train.policies.shuffle);
  aspects.put_switch("train.policies.scale_in", train.policies.scale_in);
}

void put_node_types(Aspects& aspects, const ClusterSpec& cluster) {
  for (const NodeTypeSpec& type : cluster.nodes) {
    const std::string key = fmt::format("cluster.nodes.{}.", type.name);
    // The number of nodes in an allocation is not an aspect of the job.
    if (!cluster.slurm) aspects.put(key + "local", type.local);
    aspects.put(key + "join", type.join);
    aspects.put(key + "price", fmt::format("{}/h", type.price_per_s * 3600));
    aspects.put(key + "speed", type.speed);
    if (type.preemptions_per_s > 0) {
      aspects.put(key + "preempted", fmt::format("{}/h", type.preemptions_per_s * 3600));
      aspects.put(key + "restart", fmt::format("{}s", type.restart_s));
    }
    aspects.put(key + "start", fmt::format("{}s", type.start_s));
    if (type.memory_bytes) aspects.put(key + "memory", *type.memory_bytes);
  }
}

}  // namespace

plan::MadeFor aspects_of(const Job& job, const std::vector<data::SourceInfo>& sources,
                         const std::optional<data::SourceInfo>& validation) {
  plan::MadeFor made_for;
  Aspects aspects(made_for);
  put_promise(aspects, job);
  for (const data::SourceInfo& source : sources) {
    put_source(aspects, "data." + source.name, source);
    aspects.put(fmt::format("data.{}.price", source.name), source.price);
  }
  if (validation) put_source(aspects, "validation", *validation);
  aspects.put("model.zoo", job.model.zoo);
  aspects.put("model.versions", fmt::format("{}", fmt::join(job.model.versions, ", ")));
  put_train(aspects, job.train);
  put_node_types(aspects, job.cluster);
  return made_for;
}

}  // namespace surety::job
