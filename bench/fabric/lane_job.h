// A push, pull or all-reduce that the hosts of the test bed carry out by lanes (bench/lanes), and
// the vectors that they sum.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/lanes/run.h"

namespace surety::bench {

struct LaneJob {
  // "lanes", "direct" (all to the owner at once) or "ring" (fabric/allreduce/round.h).
  std::string way;
  std::uint64_t round = 0;
  BlockedOperation operation{};
  WorkerId planner;
  std::vector<WorkerId> hubs;
  std::vector<fabric::Port> ports;
  std::uint32_t window_first = 2;
  std::uint32_t window_max = 8;
  bool measures = true;
};
[[nodiscard]] LaneJob lane_job_of(const nlohmann::json& text);

// The values are whole numbers, so that a sum is exact in any order.
struct LaneVectors {
  std::vector<float> input;
  std::vector<float> output;
};
[[nodiscard]] LaneVectors vectors_of(const LaneJob& job, WorkerId self);
// The number of elements of the output that differ from the plain sum.
[[nodiscard]] std::uint64_t count_wrong(const LaneJob& job, const LaneVectors& vectors);

// The part of one host in a job whose way is lanes or direct. `transport` and `vectors` must
// outlive it.
class LaneHost {
 public:
  LaneHost(const LaneJob& job, WorkerId self, fabric::Transport& transport,
           const std::map<WorkerId, fabric::PeerId>& peers, LaneVectors& vectors);
  LaneHost(const LaneHost&) = delete;
  LaneHost& operator=(const LaneHost&) = delete;

  [[nodiscard]] LaneRun& run() { return run_; }

 private:
  BlockPlanner planner_;
  PortEstimates port_estimates_;
  LaneRun run_;
};

}  // namespace surety::bench
