// Measures nodes of unequal speed, and nodes that are sometimes late.
#include <algorithm>

#include "measures.h"
#include "uni_task.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kNodes = 16;

UniTask::Options job_options(elastic::Policies policies, const SpeedVariation& speed_variation,
                             std::uint64_t seed) {
  UniTask::Options options{.rows = 160000, .chunks = 100 * kNodes, .bytes_per_row = 100};
  options.pace.whole_passes = true;
  options.pace.policies = policies;
  options.speed_variation = speed_variation;
  options.seed = seed;
  return options;
}

}  // namespace

// Measures the division of the rows itself, without the luck of a single pass.
void measure_hetero(const Options& options, Report& report) {
  if (!options.wants("hetero")) return;
  Row row{.measure = "hetero",
          .unit = "finish over ideal",
          .ours = {},
          .peers = {},
          .higher_is_better = false};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const bool rebalance : {true, false}) {
      UniTask job(job_options({.rebalance = rebalance, .cut_off = false}, {.noise = 0.02}, seed));
      job.set_nodes(kNodes);
      for (std::uint32_t node = 2; node <= kNodes; node += 2) job.set_cost(node, 2);
      UniTask::Iteration last;
      for (int i = 0; i < 10; ++i) last = job.iterate();
      (rebalance ? row.ours : row.peers["equal shares"]).push_back(last.planned_s / last.ideal_s);
    }
  }
  report.add(std::move(row));
}

void measure_stragglers(const Options& options, Report& report) {
  if (!options.wants("stragglers")) return;
  Row row{.measure = "stragglers",
          .unit = "time over ideal",
          .ours = {},
          .peers = {},
          .higher_is_better = false};
  const SpeedVariation speed_variation{.noise = 0.05, .spike_chance = 0.02};
  const auto mean = [&](elastic::Policies policies, std::uint64_t seed) {
    UniTask job(job_options(policies, speed_variation, seed));
    job.set_nodes(kNodes);
    for (std::uint32_t node = 2; node <= kNodes; node += 2) job.set_cost(node, 2);
    constexpr int kIterations = 100;
    double sum = 0;
    for (int i = 0; i < kIterations; ++i) {
      const UniTask::Iteration done = job.iterate();
      sum += done.compute_s / done.ideal_s / kIterations;
    }
    return sum;
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    row.ours.push_back(mean({.rebalance = true, .cut_off = true}, seed));
    row.peers["rebalancing alone"].push_back(mean({.rebalance = true, .cut_off = false}, seed));
    row.peers["neither"].push_back(mean({.rebalance = false, .cut_off = false}, seed));
  }
  report.add(std::move(row));
}

}  // namespace surety::bench
