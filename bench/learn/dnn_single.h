// One worker's task against a bare libtorch loop: what do chunks, orders, tentative momentum and
// flat updates cost?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::bench {

struct DnnSingleOptions {
  std::string model;  // lenet5 or alexnet.
  std::uint32_t images = 4096;
  std::uint32_t batch = 64;
  std::uint32_t iterations_per_pass = 4;  // compute(), commit, merge: this often.
  int repeats = 9;                        // Passes measured, after one to warm up.
};

struct DnnSingle {
  std::vector<double> task_images_per_s;  // Per CPU second of the process; one per repeat.
  std::vector<double> bare_images_per_s;
  double task_loss = 0;  // Mean training loss of the last pass.
  double bare_loss = 0;
};

// The same images, start and steps on both sides, passes in turn, so that what else the machine
// does hits both. The task reads bytes from chunks; the bare loop has its images as floats already.
[[nodiscard]] Result<DnnSingle> measure_dnn_single(const DnnSingleOptions& options);

}  // namespace surety::bench
