// Compares feedback-driven scale-in with every static number of nodes.
#include <functional>
#include <string>

#include "elastic/policy/scale_in.h"
#include "measures.h"
#include "uni_task.h"

namespace surety::bench {
namespace {

constexpr double kGap = 1e-5;
constexpr std::uint32_t kNodesMax = 16;
constexpr double kGiveUpS = 5000;

// The simulated seconds to the gap. `next(gap, seconds)` is called after each iteration, and
// returns the nodes of the next one.
double train(const TextRows& data, Aggregation aggregation, std::uint64_t seed, std::uint32_t nodes,
             const std::function<std::uint32_t(double, double)>& next) {
  UniTask::Options options{.rows = data.rows(), .chunks = 400, .bytes_per_row = 23 * 8.0};
  options.pace.whole_passes = true;
  options.pace.policies.shuffle = true;
  options.seed = options.pace.seed = seed;
  UniTask job(options);
  Cocoa solver(data, aggregation, seed);
  double spent_s = 0;
  for (double gap = 1; gap > kGap && spent_s < kGiveUpS;) {
    job.set_nodes(nodes);
    const UniTask::Iteration done = job.iterate();
    solver.iterate(done.partitions);
    gap = solver.gap();
    spent_s += done.seconds;
    nodes = next(gap, done.seconds);
  }
  return spent_s;
}

void compare(const std::string& suffix, Aggregation aggregation, std::uint32_t rows,
             const Options& options, Report& report) {
  Row seconds{.measure = "feedback_s" + suffix,
              .unit = "s",
              .ours = {},
              .peers = {},
              .higher_is_better = false};
  if (!options.wants(seconds.measure)) return;
  for (std::uint64_t seed = 1; seed <= (options.quick ? 1 : 3); ++seed) {
    const TextRows data = text_rows(rows, 1 << 15, seed);
    elastic::ScaleIn policy(kNodesMax, {.minimum_first = aggregation == Aggregation::kSafe});
    seconds.ours.push_back(train(data, aggregation, seed, kNodesMax, [&](double gap, double s) {
      policy.observe(gap, s);
      return policy.workers();
    }));
    for (std::uint32_t nodes = 1; nodes <= kNodesMax; nodes *= 2) {
      seconds.peers[std::to_string(nodes) + " nodes"].push_back(
          train(data, aggregation, seed, nodes, [nodes](double, double) { return nodes; }));
    }
  }
  report.add(std::move(seconds));
}

}  // namespace

void measure_feedback(const Options& options, Report& report) {
  constexpr std::uint32_t kFewRows = 4000;
  constexpr std::uint32_t kManyRows = 40000;
  const std::uint32_t many = options.quick ? kFewRows : kManyRows;
  compare("", Aggregation::kAccelerated, many, options, report);
  compare("_safe", Aggregation::kSafe, many, options, report);
  if (options.quick) return;
  compare("_few_rows", Aggregation::kAccelerated, kFewRows, options, report);
  compare("_few_rows_safe", Aggregation::kSafe, kFewRows, options, report);
}

}  // namespace surety::bench
