// A job with one task a node over chunks that move: the product's directory and policies, on nodes
// with invented times.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "cocoa.h"
#include "elastic/policy/pace.h"

namespace surety::bench {

inline constexpr double kPassS = 8;          // Seconds of one node for a pass over all data.
inline constexpr double kSyncS = 0.1;        // Seconds of synchronisation in an iteration.
inline constexpr double kBytesPerS = 100e6;  // Bytes a second into or out of a node.

// How nodes deviate from their mean speed.
struct SpeedVariation {
  double noise = 0;         // Relative standard deviation of an iteration's time.
  double spike_chance = 0;  // Probability that an iteration takes spike_factor times as long.
  double spike_factor = 3;
};

class UniTask {
 public:
  struct Options {
    std::uint32_t rows = 0;
    std::uint32_t chunks = 0;
    double bytes_per_row = 0;
    elastic::PaceOptions pace{};
    SpeedVariation speed_variation{};
    std::uint64_t seed = 1;
  };
  explicit UniTask(const Options& options);

  // Nodes 1 to `count` take part from the next iteration on. A node that returns is a new one.
  void set_nodes(std::uint32_t count);
  // Sets the relative seconds that a node needs for a row; the default is 1.
  void set_cost(std::uint32_t node, double cost) { costs_[node] = cost; }

  // One iteration: chunks move, all nodes compute, and late ones are cut off. The result has the
  // rows that each partition visited, and the seconds, including synchronisation and moves.
  struct Iteration {
    std::vector<std::vector<Cocoa::Chunk>> partitions;
    double seconds = 0;
    double compute_s = 0;  // Seconds of the slowest node.
    // Seconds with the best division of these rows among these nodes, without noise.
    double ideal_s = 0;
    // Seconds with the actual division, without noise and without cutting off.
    double planned_s = 0;
  };
  Iteration iterate();
  [[nodiscard]] double moved_share() const { return moved_bytes_ / (total_bytes_ + 1e-9); }

 private:
  double move_chunks();
  [[nodiscard]] double seconds_per_row(WorkerId worker) const;

  Options options_;
  Random random_;
  elastic::Directory directory_;
  elastic::Pace pace_;
  std::vector<WorkerId> nodes_;            // Index 0 is node 1.
  std::map<std::uint32_t, double> costs_;  // Relative seconds for a row, by node.
  std::uint32_t last_worker_ = 0;
  std::uint32_t pass_ = 0;
  double moved_bytes_ = 0;
  double total_bytes_ = 0;
};

}  // namespace surety::bench
