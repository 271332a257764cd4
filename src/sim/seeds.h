// One small run with faults, drawn from its seed: four to seven machines, and a network that learns
// by its law or a linear model with the real solver. After 22 s all faults end, and then training
// must end. In some runs workers wait only a few seconds for a lost coordinator, or not at all.
// Asynchronous runs learn in any of the modes of train.mode. In half of the
// networks, the version changes once: channels are removed or put back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cluster/cluster.h"

namespace surety::sim {

enum class SeedKind : std::uint8_t { kSynchronous, kAsynchronous };

// Runs with even seeds learn by the law, and runs with odd seeds use the solver. ENSURES: the same
// seed gives the same options.
[[nodiscard]] SimOptions seed_options(std::uint64_t seed, SeedKind kind = SeedKind::kSynchronous);

// Runs the cluster until the run ends. A run that does not end also counts as a violation.
[[nodiscard]] SimResult run_seed(std::uint64_t seed, SeedKind kind = SeedKind::kSynchronous,
                                 std::string* timeline = nullptr);

// The time line, one line each: "12.345 s  worker 3 is lost: ..."
[[nodiscard]] std::string text_of(const Trace& trace);

}  // namespace surety::sim
