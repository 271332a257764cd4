// Baselines to compare the fabric with, on the same network and under the same network conditions:
// a parameter server to which all workers send as soon as they can, and a ring all-reduce.
#pragma once

#include "bench/fabric_sim/scenario.h"

namespace surety::bench::sim {

struct BaselineOptions {
  // naive_server() always has one server and ring() has none; the value here is ignored.
  WorldOptions world{};
  double model_bytes = 100e6;
  double warm_up_s = 5;
  double horizon_s = 30;
};

// Updates per second. Each worker computes, sends its whole update and fetches the whole model. All
// flows run at the same time and share the network fairly.
[[nodiscard]] double naive_server(const BaselineOptions& options);

// Updates per second. All workers compute. When the last is ready, all reduce over a ring, in which
// each port carries 2 (n - 1) / n of the model at the pace of the slowest.
[[nodiscard]] double ring(const BaselineOptions& options);

}  // namespace surety::bench::sim
