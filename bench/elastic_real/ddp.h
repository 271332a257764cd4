// The peer of one_slow: the same network, data and target with PyTorch's DistributedDataParallel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace surety::bench {

struct DdpJob {
  std::filesystem::path data;  // Folder with MNIST.
  double target = 0;           // The validation loss.
  double learning_rate = 0;
  // Each worker is a process of one thread; they use Gloo on loopback.
  std::uint32_t workers = 1;
  std::optional<double> slow_share{};  // If set, worker 1 runs for this share of the time.
};

// Whether this machine has a Python with torch.distributed.
[[nodiscard]] bool has_ddp();

// Seconds from the first batch to the target, as the first worker measures them. Unavailable if it
// does not reach the target. The current folder must be the repository's root, where the script is.
[[nodiscard]] Result<double> ddp_seconds(const DdpJob& job);

}  // namespace surety::bench
