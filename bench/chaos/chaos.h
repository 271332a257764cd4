// Trains one run after another under injected faults until the time is over, and checks each of
// them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "faults.h"

namespace surety::bench {

// A run with this many rows takes half a minute: time for two or three faults, one after another.
constexpr std::uint32_t kRowsApart = 400'000;

struct ChaosOptions {
  double seconds = 120;
  std::uint64_t seed = 1;
  std::uint32_t rows = 20'000;
  FaultTiming timing = FaultTiming::kOverlapping;
  bool plain = false;  // Injects no faults into links and disk.
  // Folder for the files of a run that failed the checks; empty means that they are deleted.
  std::filesystem::path keep;
};

// Prints the results. Returns false if a run differed from an undisturbed one.
[[nodiscard]] Result<bool> run_chaos(const ChaosOptions& options);

}  // namespace surety::bench
