// time_to_loss8, time_to_loss16: seconds until 8 and 16 workers have learned digits to a validation
// loss, where some straggle and every port's rate changes every few seconds; ours beside a naive
// parameter server, our ring, with and without local steps, and PyTorch's DDP (with MNIST).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "bench/report.h"

namespace surety::bench {

struct TimeToLoss {
  std::uint32_t workers = 8;
  std::string data;  // Folder with MNIST; empty: generated digits.
  std::uint64_t seeds = 3;
  std::string only;  // Only this way; empty: all.
  bool quick = false;
};

[[nodiscard]] Result<void> measure_time_to_loss(const TimeToLoss& work, Report& report);

}  // namespace surety::bench
