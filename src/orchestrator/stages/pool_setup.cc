#include "orchestrator/stages/pool_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "model/version.h"
#include "orchestrator/history/metric.h"

namespace surety::orchestrator {
namespace {

// Share of the full version's channels.
double share_of(const std::string& version) {
  const Result<model::Version> parsed = model::parse_version(version);
  SURETY_CHECK(parsed);  // The job file was checked.
  return 1 - parsed->pruned;
}

// Share of the time of the full version's pass. A part of the time does not depend on the network;
// the rest is proportional to the multiplications, if these are known.
double time_share(const job::ModelSpec& model, const std::string& version) {
  constexpr double kNotTheNetwork = 0.15;
  double share = share_of(version);
  const auto full = model.multiply_adds.find("full");
  const auto own = model.multiply_adds.find(version);
  if (full != model.multiply_adds.end() && own != model.multiply_adds.end() && full->second > 0) {
    share = static_cast<double>(own->second) / static_cast<double>(full->second);
  }
  return kNotTheNetwork + (1 - kNotTheNetwork) * share;
}

struct Rate {
  double value = 0;
  double passes = 1;  // Assumed passes that it needs, relative to the first version.
};

std::vector<Rate> rates_of(const job::TrainSpec& train) {
  const double first = train.learning_rate;
  if (!train.learning_rate_auto) return {{first, 1}};
  return {{first, 1}, {0.3 * first, 1.7}, {3 * first, 1.1}};
}

// The numbers of workers among which an attempt chooses, the largest first; empty means only all
// that are present. CoCoA needs fewer passes with fewer workers: on a9a, without strong
// regularisation, two workers were further from the optimum after 200 passes than one worker after
// seven. So for a linear model fewer workers are an option even if the job does not name it.
std::vector<std::uint32_t> choices_of_workers(const job::Job& job) {
  std::vector<std::uint32_t> counts = job.profile.workers;
  std::ranges::sort(counts, std::greater());
  const job::ClusterSpec& cluster = job.cluster;
  const bool others_join = cluster.listen || cluster.slurm.has_value();
  const bool is_linear = job.train.solver == job::Solver::kCocoa;
  if (!counts.empty() || !is_linear || others_join || cluster.nodes.size() > 1) return counts;
  const std::uint32_t least = std::max(cluster.workers_min, 1u);
  for (std::uint32_t count = cluster.local(); count >= least; count /= 2) counts.push_back(count);
  if (counts.size() == 1) counts.clear();
  return counts;
}

// How the number of workers changes the passes needed. With fewer workers each takes more
// consecutive steps in a pass, and the results of the workers are averaged or summed more often:
// half as many workers needed some 0.5 to 0.8 of the passes on digits (local SGD) and on sparse
// rows (CoCoA). Only the linear rule, by which a larger average makes larger steps, compensates for
// that, if the settings are meant for all present workers and not for those of a variant.
std::optional<plan::WorkersLaw> workers_law(const job::Job& job) {
  if (job.cluster.one_worker()) return std::nullopt;
  const bool fixed = !choices_of_workers(job).empty() || job.cluster.nodes.size() > 1;
  const bool scales = job.train.solver == job::Solver::kLocalSgd &&
                      job.train.on_resize == elastic::OnResize::kScaleRate;
  if (scales && !fixed) return plan::WorkersLaw{.mean = 0, .sd = 0.2};
  return plan::WorkersLaw{.mean = 0.5, .sd = 0.35};
}

struct Setting {
  std::string type;
  std::optional<std::uint32_t> workers{};  // Absent means all workers that are present.
  double nodes = 1;
  double price_per_s = 0;
  double speed = 1;
  double start_s = 0;
  std::optional<std::uint64_t> memory_bytes{};
  std::string name;
};

Setting setting_of(const job::NodeTypeSpec& type, std::uint32_t count, bool first) {
  Setting setting;
  setting.type = type.name;
  setting.workers = count;
  setting.nodes = count;
  setting.price_per_s = type.price_per_s * count;
  // A preemption costs the current pass a restart.
  setting.speed = type.speed / (1 + type.preemptions_per_s * type.restart_s * count);
  setting.start_s = first ? 0 : type.start_s;
  setting.memory_bytes = type.memory_bytes;
  setting.name = fmt::format(" on {} {}", count, type.name);
  return setting;
}

// The first setting is the nodes that are present at the beginning.
std::vector<Setting> settings_of(const job::Job& job, std::uint32_t workers) {
  std::vector<Setting> settings;
  const std::vector<job::NodeTypeSpec>& types = job.cluster.nodes;
  const job::NodeTypeSpec& first = types.front();
  const std::vector<std::uint32_t> counts = choices_of_workers(job);
  if (counts.empty()) {
    Setting all = setting_of(first, std::max(workers, 1u), true);
    if (types.size() == 1) {
      all.workers.reset();
      all.name.clear();
    }
    settings.push_back(std::move(all));
  } else {
    for (const std::uint32_t count : counts) settings.push_back(setting_of(first, count, true));
  }
  for (std::size_t i = 1; i < types.size(); ++i) {
    const std::uint32_t count = types[i].local + types[i].join;
    if (count > 0) settings.push_back(setting_of(types[i], count, false));
  }
  return settings;
}

// What the job says about its promise and its training.
plan::PoolSpec spec_of(const job::Job& job) {
  plan::PoolSpec spec;
  spec.metric = job.promise.metric;
  spec.target = for_planner(job.promise.metric, job.promise.target);
  spec.probability = job.promise.probability;
  spec.confidence = job.promise.confidence;
  spec.best_effort = job.best_effort;
  spec.passes_max = job.train.passes_max;
  spec.one_solution = job.train.solver == job::Solver::kCocoa;
  spec.seed = job.train.seed;
  spec.workers_law = workers_law(job);
  spec.reference_workers = 0;
  for (const job::NodeTypeSpec& type : job.cluster.nodes)
    spec.reference_workers += type.local + type.join;
  spec.reference_workers = std::max(1u, spec.reference_workers);
  return spec;
}

// Each version of the model with each learning rate.
void add_versions(const job::Job& job, PoolSetup& setup) {
  const std::vector<Rate> rates = rates_of(job.train);
  plan::PoolSpec& spec = setup.spec;
  spec.families = static_cast<std::uint32_t>(rates.size());
  for (const Rate& rate : rates) {
    for (const std::string& version : job.model.versions) {
      setup.versions.push_back({version, rate.value});
      spec.version_names.push_back(
          version + (rates.size() > 1 ? fmt::format(" at rate {}", rate.value) : ""));
      plan::VersionGuess guess = plan::guess_of(share_of(version));
      guess.passes *= rate.passes;
      spec.versions.push_back(guess);
    }
  }
}

// Each version on all nodes that have enough memory for it.
void add_variants(const job::Job& job, const std::vector<Setting>& settings, PoolSetup& setup) {
  plan::PoolSpec& spec = setup.spec;
  for (std::uint32_t v = 0; v < setup.versions.size(); ++v) {
    const std::string& version = setup.versions[v].version;
    const auto needed = job.model.memory_bytes.find(version);
    for (std::uint32_t s = 0; s < settings.size(); ++s) {
      const Setting& setting = settings[s];
      const bool too_small = needed != job.model.memory_bytes.end() && setting.memory_bytes &&
                             *setting.memory_bytes < needed->second;
      if (too_small) continue;
      plan::PoolVariantSpec variant;
      variant.name = spec.version_names[v] + (settings.size() > 1 ? setting.name : "");
      variant.version = v;
      variant.nodes = s;
      variant.workers = setting.workers;
      variant.relative_time = time_share(job.model, version) * settings.front().nodes /
                              setting.nodes / (setting.speed / settings.front().speed);
      variant.price_per_s = setting.price_per_s;
      // If nodes may join and leave, an attempt waits for the nodes that it lacks.
      constexpr double kSessionS = 0.5;
      constexpr double kNodesS = 3;
      variant.start_s = setting.start_s + (settings.size() > 1 ? kNodesS : kSessionS);
      spec.variants.push_back(std::move(variant));
    }
  }
}

// The metric of a classifier that guesses, if the metric has one.
std::optional<double> metric_by_chance(plan::Metric metric, const data::Schema& schema) {
  if (schema.classes < 2) return std::nullopt;
  const double classes = schema.classes;
  if (metric == plan::Metric::kValidationLoss) return std::log(classes);
  if (metric == plan::Metric::kAccuracy) return 1 - 1 / classes;
  return std::nullopt;
}

}  // namespace

PoolSetup pool_setup(const job::Job& job, const data::Schema& schema, std::uint32_t workers,
                     const std::optional<plan::EarlierJobs>& earlier) {
  PoolSetup setup;
  setup.workers = workers;
  setup.spec = spec_of(job);
  add_versions(job, setup);
  const std::size_t parameters =
      plan::Belief::parameters(setup.spec.versions.size(), setup.spec.workers_law.has_value());
  if (earlier && plan::fitted(earlier->laws, parameters)) setup.spec.earlier = earlier;
  const std::vector<Setting> settings = settings_of(job, workers);
  for (const Setting& setting : settings) setup.types.push_back(setting.type);
  add_variants(job, settings, setup);
  setup.untrained_most = metric_by_chance(job.promise.metric, schema);
  return setup;
}

}  // namespace surety::orchestrator
