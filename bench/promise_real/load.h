// Other work on the machine: busy threads that come and go by a schedule that is a function of its
// seed, so that it is recorded by the seed alone and is the same beside a run and its baselines.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/posix/process.h"
#include "base/result.h"

namespace surety::bench {

inline constexpr std::uint32_t kBusyMax = 4;

// So many busy threads for so long.
struct LoadStep {
  double seconds = 0;  // 2 to 6.
  std::uint32_t threads = 0;
};
[[nodiscard]] LoadStep load_step(std::uint64_t seed, std::uint64_t number);

// Mean of the busy threads over the first so many seconds. REQUIRES: seconds > 0.
[[nodiscard]] double mean_load(std::uint64_t seed, double seconds);

// This program as that load, until it is stopped or its owner ends.
[[nodiscard]] Result<posix::Process> start_load(std::uint64_t seed);

// Is that how it was started? Then main() is to return what run_load() does.
[[nodiscard]] bool is_load(int argc, char** argv);
[[nodiscard]] int run_load(char** argv);

}  // namespace surety::bench
