// PyTorch's DistributedDataParallel over Gloo, in the hosts' namespaces: a peer of the measure
// time_to_loss.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/fabric/cluster.h"
#include "bench/fabric_sim/scenario.h"

namespace surety::bench {

struct DdpJob {
  std::string data;  // Folder with MNIST.
  double learning_rate = 0;
  sim::WorldOptions world{};
};

class Ddp {
 public:
  // Starts a process on each worker's host, and waits until all are ready to train. The current
  // folder must be the repository's root, where the script is. Unavailable if there is no
  // /usr/bin/python3 with torch, or no script.
  [[nodiscard]] static Result<Ddp> start(const DdpJob& job);

  // Trains for this many seconds. Returns the seconds and the validation loss after each step.
  [[nodiscard]] Result<std::vector<std::array<double, 2>>> train(double seconds);

 private:
  explicit Ddp(std::vector<Child> ranks) : ranks_(std::move(ranks)) {}
  std::vector<Child> ranks_;
};

}  // namespace surety::bench
