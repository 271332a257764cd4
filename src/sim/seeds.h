// One small run with faults, drawn by its seed: four to seven machines, a network by its law or a
// linear model by the real solver; 22 s of faults, then all is healed and training has to end.
// In some of them workers wait for a coordinator that is lost for a few seconds only, or not at
// all. Asynchronous ones (train.mode) train a network by its law, in any of the modes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cluster.h"

namespace surety::sim {

enum class SeedKind : std::uint8_t { kSynchronous, kAsynchronous };

// Even seeds learn by the law, odd ones solve. ENSURES: the same seed, the same options.
[[nodiscard]] SimOptions seed_options(std::uint64_t seed, SeedKind kind = SeedKind::kSynchronous);

// Runs it to its end. A violation is also where the run did not come to an end.
[[nodiscard]] SimResult run_seed(std::uint64_t seed, SeedKind kind = SeedKind::kSynchronous,
                                 std::string* timeline = nullptr);

// "12.345 s  worker 3 is lost: ...", a line each.
[[nodiscard]] std::string text_of(const Trace& trace);

}  // namespace surety::sim
