// The peer of one_slow: the same network, data and target by PyTorch's DistributedDataParallel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace surety::bench {

struct DdpJob {
  std::filesystem::path data;  // MNIST.
  double target = 0;           // Validation loss.
  double learning_rate = 0;
  std::uint32_t workers = 1;           // Processes of one thread, over Gloo on loopback.
  std::optional<double> slow_share{};  // Worker 1 runs for this share of the time.
};

// Is there a Python with torch.distributed on this machine?
[[nodiscard]] bool has_ddp();

// Seconds from the first batch to the target, as the first worker measures them. Unavailable where
// it does not come to it. Runs in the repository's root, where the script is found.
[[nodiscard]] Result<double> ddp_seconds(const DdpJob& job);

}  // namespace surety::bench
