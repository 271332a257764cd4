// What anyone would write with libtorch: the same network as a torch module, torch::optim::SGD, a
// shuffled index a pass, images converted once before training. The peer of `dnn_single`.
//
// No libtorch header here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace surety::bench {

struct BareOptions {
  std::string model;  // lenet5 (1 x 28 x 28) or alexnet (3 x 32 x 32), 10 classes.
  std::uint32_t batch = 64;
  double learning_rate = 0.01;
  double momentum = 0.9;
};

class BareLoop {
 public:
  // Takes copies. `parameters` are the values to start from, in the order of the modules.
  // REQUIRES: one label per image.
  BareLoop(const BareOptions& options, std::span<const std::uint8_t> images,
           std::span<const float> labels, std::span<const float> parameters);
  ~BareLoop();

  // One pass over all images in this order; returns the mean training loss.
  double train(const std::vector<std::uint32_t>& order);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace surety::bench
