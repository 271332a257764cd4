#include "bench/fabric/weather.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/posix/clock.h"
#include "base/random.h"

namespace surety::bench {

Weather::Weather(const ShapedNetwork& network, std::uint32_t hosts, double mbit_per_s,
                 std::uint64_t seed)
    : network_(network),
      hosts_(hosts),
      mbit_per_s_(mbit_per_s),
      thread_([this, seed] { run(seed); }) {}

Weather::~Weather() {
  over_ = true;
  thread_.join();
  for (std::uint32_t h = 0; h < hosts_; ++h) (void)network_.shape(h, mbit_per_s_, mbit_per_s_);
}

void Weather::run(std::uint64_t seed) {
  struct Direction {
    Random random;
    double at_s = 0, mbit = 0;
  };
  std::vector<std::array<Direction, 2>> ports;
  for (std::uint32_t h = 0; h < hosts_; ++h) {
    const Random random = Random(seed).fork("port", h);
    ports.push_back({Direction{random.fork("out")}, Direction{random.fork("in")}});
  }
  const Time began = posix::now();
  while (!over_) {
    const double now_s = to_seconds(posix::now() - began);
    for (std::uint32_t h = 0; h < hosts_; ++h) {
      bool changed = false;
      for (Direction& direction : ports[h]) {
        if (now_s < direction.at_s) continue;
        direction.at_s += 2 + 3 * direction.random.uniform();
        direction.mbit = mbit_per_s_ * std::pow(10, -direction.random.uniform());
        changed = true;
      }
      if (changed) (void)network_.shape(h, ports[h][0].mbit, ports[h][1].mbit);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace surety::bench
