// Runs under chaos, until the time is up, and whether they held.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "faults.h"

namespace surety::bench {

struct ChaosOptions {
  double seconds = 120;
  std::uint64_t seed = 1;
  std::uint32_t rows = 20'000;
  Rhythm rhythm = Rhythm::kOverlapping;
  bool plain = false;          // Links and disk are left alone.
  std::filesystem::path keep;  // Gets the files of a run that did not hold; empty: they go.
};

// Prints what happened. False: a run did not do what an undisturbed one does.
[[nodiscard]] Result<bool> run_chaos(const ChaosOptions& options);

}  // namespace surety::bench
