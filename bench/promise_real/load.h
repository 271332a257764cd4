// Other work on the machine: a changing number of busy threads. The schedule is a function of the
// seed. So the seed alone records it, and it is the same beside a run and its baselines.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/posix/process.h"
#include "base/result.h"

namespace surety::bench {

inline constexpr std::uint32_t kBusyMax = 4;

// A number of busy threads for a time.
struct LoadStep {
  double seconds = 0;  // The value is between 2 and 6 seconds.
  std::uint32_t threads = 0;
};
[[nodiscard]] LoadStep load_step(std::uint64_t seed, std::uint64_t number);

// Mean number of busy threads over the first `seconds`. REQUIRES: seconds > 0.
[[nodiscard]] double mean_load(std::uint64_t seed, double seconds);

// Starts this program as that load; it ends when it is stopped or its owner ends.
[[nodiscard]] Result<posix::Process> start_load(std::uint64_t seed);

// Whether this program was started as a load. If so, main() must return the result of run_load().
[[nodiscard]] bool is_load(int argc, char** argv);
[[nodiscard]] int run_load(char** argv);

}  // namespace surety::bench
