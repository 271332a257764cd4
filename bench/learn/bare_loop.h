// The usual way to train with libtorch: the same network as a torch module, torch::optim::SGD, a
// shuffled index for each pass, and images that are converted once before training. The peer of
// `dnn_single`.
//
// This header includes no libtorch header.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace surety::bench {

struct BareOptions {
  // The network "lenet5" (1 x 28 x 28) or "alexnet" (3 x 32 x 32), both with 10 classes.
  std::string model;
  std::uint32_t batch = 64;
  double learning_rate = 0.01;
  double momentum = 0.9;
};

class BareLoop {
 public:
  // Copies the images and labels. `parameters` are the initial values, in the order of the modules.
  // REQUIRES: one label per image.
  BareLoop(const BareOptions& options, std::span<const std::uint8_t> images,
           std::span<const float> labels, std::span<const float> parameters);
  ~BareLoop();

  // Trains one pass over all images in this order, and returns the mean training loss.
  double train(const std::vector<std::uint32_t>& order);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace surety::bench
