// time_to_loss8, time_to_loss16: seconds until 8 and 16 workers have learned digits to a validation
// loss. Some workers straggle, and every port's rate changes every few seconds. Ours is compared
// with a naive parameter server, with our ring, with and without local steps, and with PyTorch's
// DDP (with MNIST).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "bench/report.h"

namespace surety::bench {

struct TimeToLoss {
  std::uint32_t workers = 8;
  std::string data;  // Folder with MNIST; empty means generated digits.
  std::uint64_t seeds = 3;
  std::string only;  // Runs only this way; empty means all.
  bool quick = false;
};

[[nodiscard]] Result<void> measure_time_to_loss(const TimeToLoss& work, Report& report);

}  // namespace surety::bench
