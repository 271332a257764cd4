// Makes recordings for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "bench/studies/recording.h"

namespace surety::bench {

// Part i has 100 images, a mean loss of `loss` + i / 100 with a standard deviation of 0.5, and 5 *
// i correct answers.
[[nodiscard]] inline Measured measured_at(std::uint32_t seed, std::string path, double loss) {
  Measured measured;
  measured.seed = seed;
  measured.path = std::move(path);
  measured.cpu_s = 1.5;
  measured.bytes = 4000;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    const double mean = loss + 0.01 * i;
    measured.parts[i] = {100, 100 * mean, 100 * (mean * mean + 0.25), 5 * i};
  }
  return as_written(std::move(measured));
}

}  // namespace surety::bench
