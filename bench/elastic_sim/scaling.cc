// Compares uni-tasks with micro-tasks while nodes join or leave.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "measures.h"
#include "uni_task.h"

namespace surety::bench {
namespace {

constexpr double kGap = 1e-3;
constexpr std::uint32_t kFeatures = 1 << 15;
constexpr double kBytesPerRow = 23 * 8.0;
constexpr double kGiveUpS = 2000;
constexpr double kShuffleShare = 0.05;

using Nodes = std::function<std::uint32_t(double now_s)>;

std::uint32_t growing(double now_s) {
  return static_cast<std::uint32_t>(std::min(16.0, 2 + 2 * std::floor(now_s / 4)));
}
std::uint32_t shrinking(double now_s) {
  return static_cast<std::uint32_t>(std::max(2.0, 16 - 2 * std::floor(now_s / 4)));
}

double uni_task_s(const TextRows& data, const Nodes& nodes, std::uint64_t seed) {
  UniTask::Options options{.rows = data.rows(), .chunks = 400, .bytes_per_row = kBytesPerRow};
  options.pace.whole_passes = true;
  options.pace.policies.shuffle = true;
  options.seed = options.pace.seed = seed;
  UniTask job(options);
  Cocoa solver(data, Aggregation::kAccelerated, seed);
  double now_s = 0;
  while (solver.gap() > kGap && now_s < kGiveUpS) {
    job.set_nodes(nodes(now_s));
    const UniTask::Iteration done = job.iterate();
    solver.iterate(done.partitions);
    now_s += done.seconds;
  }
  return now_s;
}

// `count` partitions for any number of nodes. A node computes its partitions one after the other.
struct MicroTasks {
  std::uint32_t count = 16;
  Aggregation aggregation = Aggregation::kSafe;
  bool shuffles = false;
};

double micro_tasks_s(const TextRows& data, const Nodes& nodes, std::uint64_t seed,
                     const MicroTasks& tasks) {
  constexpr std::uint32_t kChunks = 400;
  const std::uint32_t rows = data.rows() / kChunks;
  std::vector<std::uint32_t> at(kChunks);
  for (std::uint32_t i = 0; i < kChunks; ++i) at[i] = i * tasks.count / kChunks;
  Random random(seed);
  Cocoa solver(data, tasks.aggregation, seed);
  double now_s = 0;
  while (solver.gap() > kGap && now_s < kGiveUpS) {
    std::vector<std::vector<Cocoa::Chunk>> partitions(tasks.count);
    for (std::uint32_t i = 0; i < kChunks; ++i) partitions[at[i]].emplace_back(i * rows, rows);
    solver.iterate(partitions);
    // Tasks are not divided: the node with the most tasks takes longest.
    const std::uint32_t of_one = (tasks.count + nodes(now_s) - 1) / nodes(now_s);
    now_s += kSyncS + kPassS * of_one / tasks.count;
    const auto swaps = static_cast<int>(tasks.shuffles ? kShuffleShare * kChunks / 2 : 0);
    for (int i = 0; i < swaps; ++i) std::swap(at[random.below(kChunks)], at[random.below(kChunks)]);
  }
  return now_s;
}

void compare(const char* measure, const Nodes& nodes, bool alike, const Options& options,
             Report& report) {
  constexpr std::uint32_t kTasks[] = {16, 32, 64};
  std::map<std::uint32_t, Row> rows;  // The wanted rows, by the number of micro-tasks.
  for (const std::uint32_t count : kTasks) {
    Row row{.measure = fmt::format("{}/{}", measure, count),
            .unit = "s",
            .ours = {},
            .peers = {},
            .higher_is_better = false};
    if (options.wants(row.measure)) rows.emplace(count, std::move(row));
  }
  if (rows.empty()) return;
  for (std::uint64_t seed = 1; seed <= (options.quick ? 1 : 3); ++seed) {
    const TextRows data = text_rows(options.quick ? 4000 : 40000, kFeatures, seed);
    const double ours_s = uni_task_s(data, nodes, seed);
    for (auto& [count, row] : rows) {
      const MicroTasks tasks{count, alike ? Aggregation::kAccelerated : Aggregation::kSafe, alike};
      row.ours.push_back(ours_s);
      row.peers[fmt::format("micro_{}", count)].push_back(micro_tasks_s(data, nodes, seed, tasks));
    }
  }
  for (auto& [count, row] : rows) report.add(std::move(row));
}

}  // namespace

void measure_scaling(const Options& options, Report& report) {
  compare("scale_out", growing, false, options, report);
  compare("scale_in", shrinking, false, options, report);
  compare("scale_out_alike", growing, true, options, report);
  compare("scale_in_alike", shrinking, true, options, report);
}

}  // namespace surety::bench
