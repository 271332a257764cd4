#include "uni_task.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "test/support/elastic/policy/ideal_finish.h"

namespace surety::bench {
namespace {

std::vector<elastic::ChunkSize> sizes(const UniTask::Options& options) {
  std::vector<elastic::ChunkSize> sizes;
  const std::uint32_t rows = options.rows / options.chunks;
  for (std::uint32_t i = 0; i < options.chunks; ++i) {
    sizes.push_back({.id = ChunkId{i},
                     .samples = rows,
                     .bytes = static_cast<std::uint64_t>(rows * options.bytes_per_row)});
  }
  return sizes;
}

}  // namespace

UniTask::UniTask(const Options& options)
    : options_(options),
      random_(options.seed),
      directory_(sizes(options)),
      pace_(options.pace),
      total_bytes_(options.rows * options.bytes_per_row) {}

void UniTask::set_nodes(std::uint32_t count) {
  while (nodes_.size() > count) {
    directory_.leave(nodes_.back());
    nodes_.pop_back();
  }
  while (nodes_.size() < count) {
    nodes_.push_back(WorkerId{++last_worker_});
    directory_.join(nodes_.back());
  }
}

double UniTask::seconds_per_row(WorkerId worker) const {
  const auto at = std::find(nodes_.begin(), nodes_.end(), worker);
  SURETY_CHECK(at != nodes_.end());
  const auto cost = costs_.find(static_cast<std::uint32_t>(at - nodes_.begin()) + 1);
  return kPassS / options_.rows * (cost == costs_.end() ? 1 : cost->second);
}

// Moves the chunks, and returns the seconds that this takes: those of the busiest link.
double UniTask::move_chunks() {
  const auto grants =
      directory_.boundary(pace_.boundary(directory_.workers(), options_.chunks, pass_ > 0, pass_))
          .grants;
  std::map<WorkerId, double> in;
  std::map<WorkerId, double> out;
  const double bytes = options_.rows / options_.chunks * options_.bytes_per_row;
  for (const elastic::Grant& grant : grants) {
    directory_.confirm(grant);
    // The first reading of data is free, because every schedule needs it.
    if (!grant.from) continue;
    in[grant.to] += bytes;
    out[*grant.from] += bytes;
    moved_bytes_ += bytes;
  }
  double busiest = 0;
  for (const auto* link : {&in, &out}) {
    for (const auto& [worker, sent] : *link) busiest = std::max(busiest, sent);
  }
  return busiest / kBytesPerS;
}

UniTask::Iteration UniTask::iterate() {
  Iteration result;
  result.seconds = kSyncS + move_chunks();
  auto work = directory_.work(pace_.quotas(nodes_));
  const auto cut_s = pace_.cut_off_s(work);
  std::vector<double> costs;
  double rows = 0;
  for (const WorkerId node : nodes_) costs.push_back(seconds_per_row(node));
  for (auto& [worker, pieces] : work) {
    double given = 0;
    for (const elastic::Work& piece : pieces) given += piece.count;
    rows += given;
    double cost = seconds_per_row(worker);
    result.planned_s = std::max(result.planned_s, cost * given);
    cost *= std::max(0.1, 1 + options_.speed_variation.noise * random_.normal());
    if (random_.uniform() < options_.speed_variation.spike_chance)
      cost *= options_.speed_variation.spike_factor;
    const double seconds = std::min(cost * given, cut_s.value_or(1e300));
    const double done = std::max(1.0, std::floor(std::min(given, seconds / cost + 1e-6)));
    pieces = elastic::first_of(pieces, static_cast<std::uint64_t>(done));
    pace_.observe(worker, static_cast<std::uint64_t>(given), static_cast<std::uint64_t>(done),
                  seconds);
    result.compute_s = std::max(result.compute_s, seconds);
    std::vector<Cocoa::Chunk>& partition = result.partitions.emplace_back();
    const std::uint32_t chunk_rows = options_.rows / options_.chunks;
    for (const elastic::Work& piece : pieces) {
      partition.emplace_back(piece.chunk.value * chunk_rows + piece.first, piece.count);
    }
  }
  result.ideal_s = elastic::ideal_finish_s(costs, rows);
  result.seconds += result.compute_s;
  directory_.commit(work);
  if (directory_.is_pass_finished()) {
    directory_.begin_pass();
  } else {
    directory_.cut_pass_short();
  }
  ++pass_;
  return result;
}

}  // namespace surety::bench
