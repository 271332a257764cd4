// A job with one task a node over chunks that move: the product's directory and policies, with
// nodes whose seconds are made up.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "cocoa.h"
#include "elastic/pace.h"

namespace surety::bench {

inline constexpr double kPassS = 8;          // Of one node, over all data.
inline constexpr double kSyncS = 0.1;        // Of an iteration.
inline constexpr double kBytesPerS = 100e6;  // Into or out of a node.

// How nodes differ from what they are on average.
struct Luck {
  double noise = 0;         // Relative standard deviation of an iteration.
  double spike_chance = 0;  // Of an iteration that takes spike_factor times as long.
  double spike_factor = 3;
};

class UniTask {
 public:
  struct Options {
    std::uint32_t rows = 0;
    std::uint32_t chunks = 0;
    double bytes_per_row = 0;
    elastic::PaceOptions pace{};
    Luck luck{};
    std::uint64_t seed = 1;
  };
  explicit UniTask(const Options& options);

  // Nodes 1 to `count` are there from the next iteration on; a node that comes back is a new one.
  void set_nodes(std::uint32_t count);
  // Seconds that a node needs for a row, relative to others; 1 where nothing is said.
  void set_cost(std::uint32_t node, double cost) { costs_[node] = cost; }

  // One iteration: chunks move, everybody computes, late ones are cut off. What each partition
  // visited, and how long it took, sync and moves included.
  struct Iteration {
    std::vector<std::vector<Cocoa::Chunk>> partitions;
    double seconds = 0;
    double compute_s = 0;  // Of the slowest.
    double ideal_s = 0;    // Of the best division of these rows among these nodes, without luck.
    double planned_s = 0;  // Of the division that was made, without luck and without cut.
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
  std::vector<WorkerId> nodes_;            // Place 0 is node 1.
  std::map<std::uint32_t, double> costs_;  // By node.
  std::uint32_t last_worker_ = 0, pass_ = 0;
  double moved_bytes_ = 0, total_bytes_ = 0;
};

}  // namespace surety::bench
