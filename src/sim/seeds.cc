#include "sim/seeds.h"

#include <array>
#include <vector>

#include "job/job.h"
#include "sim/synthetic_job.h"

namespace surety::sim {
namespace {

constexpr const char* kFull = "full";
constexpr const char* kPruned = "prune:0.5";

job::ModeSpec draw_mode(Random random) {
  using enum job::TrainMode;
  job::ModeSpec spec;
  spec.mode = std::array{kAsync, kBoundedStaleness, kBatch}.at(random.below(3));
  const auto quorum = static_cast<std::uint32_t>(random.below(4));
  if (quorum > 0) spec.quorum = quorum;
  spec.ahead = static_cast<std::uint32_t>(1 + random.below(3));
  if (random.below(2) == 0) spec.staleness_max = 2 + random.below(6);
  spec.overlap = random.below(3) > 0;
  spec.updates = static_cast<std::uint32_t>(4 + random.below(12));
  return spec;
}

// Workers of most jobs wait longer than any coordinator is down; in some jobs they wait for a
// shorter time or not at all.
double draw_wait_s(Random random) {
  const double share = random.uniform();
  if (share < 0.1) return 0;
  return share < 0.3 ? 1 + 9 * random.uniform() : job::ClusterSpec{}.wait_s;
}

// In half of the runs of a network, channels are removed after some passes, or put back.
std::vector<plan::Block> draw_blocks(const job::Job& job, Random random) {
  const std::uint32_t all = job.train.passes_max;
  const auto first = static_cast<std::uint32_t>(1 + random.below(all / 2));
  switch (job.model.versions.size() > 1 ? random.below(4) : 0) {
    case 2:
      return {{.version = kFull, .passes = first}, {.version = kPruned, .passes = all - first}};
    case 3:
      return {{.version = kPruned, .passes = first}, {.version = kFull, .passes = all - first}};
    default:
      return {{.version = kFull, .passes = all}};
  }
}

// In a third of the runs, ports have a shaper: after a burst they are ten times slower.
void draw_shaper(NetworkOptions& network, Random random) {
  if (random.below(3) > 0) return;
  network.shaper = Shaper{.burst_bytes = 1e5 + 4e6 * random.uniform(),
                          .line_bytes_per_s = network.port_bytes_per_s};
  network.port_bytes_per_s /= 10;
}

orchestrator::JobConfig small_job(bool is_linear, SeedKind kind, std::uint32_t nodes,
                                  Random& random) {
  job::Job job;
  job.name = "seed";
  job.promise.probability = 0.7;
  job.promise.deadline_s = 3600;
  job.cluster.nodes.front().local = nodes;
  job.cluster.wait_s = draw_wait_s(random.fork("wait"));
  job.train.seed = 1 + random.below(1000);
  if (is_linear) {
    job.model.zoo = random.below(2) == 0 ? "logistic" : "svm";
    job.promise.metric = plan::Metric::kDualityGap;
    job.promise.target = 1e-9;  // Cannot be reached: training lasts until passes_max.
    job.train.solver = job::Solver::kCocoa;
    job.train.lambda = 1e-3;
    job.train.policies.shuffle = true;
    job.train.passes_max = 32;
    if (kind == SeedKind::kAsynchronous) job.train.mode = draw_mode(random.fork("mode"));
    job.data.push_back(
        {.name = "set", .source = "synthetic://?samples=240&features=40&nonzeros=6", .site = {}});
    job.validation = "synthetic://?samples=60&features=40&nonzeros=6&first=1000";
  } else {
    job.model.zoo = "mlp";
    job.model.versions = {kFull, kPruned};
    job.promise.target = 0.09;
    job.train.batch = 8;
    job.train.local_steps = 4;
    job.train.passes_max = 20;
    if (kind == SeedKind::kAsynchronous) {
      job.model.zoo = "lenet5";  // A small network of two blocks.
      job.train.local_steps = 6;
      job.train.passes_max = 10;
      job.train.mode = draw_mode(random.fork("mode"));
    }
    job.data.push_back({.name = "set", .source = "digits://?samples=1200", .site = {}});
    job.validation = "digits://?samples=200&first=1000000";
  }
  orchestrator::JobConfig config = synthetic_job(job).value();
  config.mode = orchestrator::RunMode::kTrain;
  plan::Plan plan;
  plan.planner = plan::Planner::kByHand;
  plan.data = {"set"};
  plan.blocks = draw_blocks(job, random.fork("versions"));
  // In half of the runs, a plan determines the number of nodes, and lost nodes are replaced.
  if (random.below(2) == 0) {
    for (plan::Block& block : plan.blocks) block.counts = {{"local", nodes}};
  }
  plan.stop_metric = job.promise.target;
  config.plan = plan;
  return config;
}

}  // namespace

SimOptions seed_options(std::uint64_t seed, SeedKind kind) {
  Random random = Random(seed).fork("run");
  const bool is_linear = seed % 2 == 1;
  const auto nodes = static_cast<std::uint32_t>(4 + random.below(4));
  SimOptions options;
  options.seed = seed;
  options.nodes = nodes;
  options.config = small_job(is_linear, kind, nodes, random);
  // Slow enough that training still runs when the faults begin.
  const double samples_per_s = kind == SeedKind::kAsynchronous ? 75 : 150;
  options.learner = learner_for(options.config, samples_per_s);
  if (is_linear) {
    const auto sample_s = options.learner.sample_s;
    options.learner.sample_s = [sample_s](const data::ChunkRange& range,
                                          const std::string& version) {
      return 1e5 * sample_s(range, version);
    };
  }
  options.network.racks = 1 + static_cast<std::uint32_t>(random.below(2));
  draw_shaper(options.network, random.fork("shaper"));
  options.faults = draw_faults(seed, {.end_s = 24, .nodes = nodes, .racks = options.network.racks});
  // If one worker remains, it learns a whole pass in one iteration. That is 16 s of work, and a
  // slow worker takes ten times as long.
  if (kind == SeedKind::kAsynchronous) options.progress_s_max = 200;
  options.time_max_s = 3700;
  options.restart_s = 0.5 + 5 * random.fork("restart").uniform();
  return options;
}

std::string text_of(const Trace& trace) {
  std::string text;
  for (const Trace::Line& line : trace.lines()) {
    text += fmt::format("{:>10.3f} s  {}\n", line.time_s, line.text);
  }
  return text;
}

SimResult run_seed(std::uint64_t seed, SeedKind kind, std::string* timeline) {
  Cluster cluster(seed_options(seed, kind));
  SimResult result = cluster.run();
  if (!result.violation) {
    if (!result.finish) {
      result.violation = "progress: the run has not ended";
    } else if (result.finish->ending != orchestrator::Ending::kComplete) {
      result.violation = "progress: the run ends with: " + result.finish->reason;
    }
  }
  if (timeline != nullptr) *timeline = text_of(cluster.trace());
  return result;
}

}  // namespace surety::sim
