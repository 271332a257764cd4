// What the fabric is measured against, on the same network and in the same weather: a parameter
// server to which everybody sends as soon as it can, and a ring all-reduce.
#pragma once

#include "fabric/sim/scenario.h"

namespace surety::fabric::sim {

struct BaselineOptions {
  WorldOptions world{};  // naive_server() has one server, whatever this says; ring() none.
  double model_bytes = 100e6;
  double warm_up_s = 5;
  double horizon_s = 30;
};

// Updates a second: each worker computes, sends its update and fetches the model, whole, all flows
// at once, shared out fairly.
[[nodiscard]] double naive_server(const BaselineOptions& options);

// Updates a second: all compute; when the last is ready, all reduce over a ring, in which each port
// carries 2 (n - 1) / n of the model at the pace of the slowest.
[[nodiscard]] double ring(const BaselineOptions& options);

}  // namespace surety::fabric::sim
