// Compares one worker's task with a bare libtorch loop: measures the costs of chunks, orders,
// tentative momentum and flat updates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::bench {

struct DnnSingleOptions {
  std::string model;  // The network "lenet5" or "alexnet".
  std::uint32_t images = 4096;
  std::uint32_t batch = 64;
  std::uint32_t iterations_per_pass = 4;  // Number of compute(), commit and merge in a pass.
  int repeats = 9;                        // Measured passes, after one pass to warm up.
};

struct DnnSingle {
  // Images per CPU second of the process, one value for each repeat.
  std::vector<double> task_images_per_s;
  std::vector<double> bare_images_per_s;
  double task_loss = 0;  // Mean training loss of the last pass.
  double bare_loss = 0;
};

// Trains both sides with the same images, start and steps. Their passes alternate, so that other
// work of the machine affects both. The task reads bytes from chunks; the bare loop already has its
// images as floats.
[[nodiscard]] Result<DnnSingle> measure_dnn_single(const DnnSingleOptions& options);

}  // namespace surety::bench
