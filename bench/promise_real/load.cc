#include "load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "base/random.h"

namespace surety::bench {
namespace {

constexpr const char* kAsLoad = "--as-load";

}  // namespace

LoadStep load_step(std::uint64_t seed, std::uint64_t number) {
  Random random = Random(seed).fork("load", number);
  const double seconds = 2 + 4 * random.uniform();
  return {seconds, static_cast<std::uint32_t>(random.below(kBusyMax + 1))};
}

double mean_load(std::uint64_t seed, double seconds) {
  double at_s = 0;
  double sum = 0;
  for (std::uint64_t number = 0; at_s < seconds; ++number) {
    const LoadStep step = load_step(seed, number);
    sum += step.threads * std::min(step.seconds, seconds - at_s);
    at_s += step.seconds;
  }
  return sum / seconds;
}

Result<posix::Process> start_load(std::uint64_t seed) {
  posix::ProcessOptions options;
  options.argv = {"/proc/self/exe", kAsLoad, std::to_string(seed)};
  options.dies_with_parent = true;
  return posix::Process::start(options);
}

bool is_load(int argc, char** argv) { return argc == 3 && std::string_view(argv[1]) == kAsLoad; }

int run_load(char** argv) {
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  std::atomic<std::uint32_t> busy = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kBusyMax; ++i) {
    threads.emplace_back([i, &busy] {
      volatile std::uint64_t work = 0;
      while (true) {
        if (i >= busy) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          continue;
        }
        for (int k = 0; k < 100'000; ++k) work = work + 1;
      }
    });
  }
  for (std::uint64_t number = 0;; ++number) {
    const LoadStep step = load_step(seed, number);
    busy = step.threads;
    std::this_thread::sleep_for(std::chrono::duration<double>(step.seconds));
  }
}

}  // namespace surety::bench
