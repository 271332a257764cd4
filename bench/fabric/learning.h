// A worker that learns digits with a network of 235,000 weights (0.94 MB), on its share of the
// data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "bench/fabric/training.h"

namespace surety::bench {

struct LearningSpec {
  std::string data;        // A URL (data/url.h).
  std::string validation;  // A URL (data/url.h).
  std::uint32_t index = 0;
  std::uint32_t workers = 1;
  double learning_rate = 0.1;
  std::uint64_t seed = 1;
};

[[nodiscard]] Result<std::unique_ptr<Learner>> make_learner(const LearningSpec& spec);

}  // namespace surety::bench
