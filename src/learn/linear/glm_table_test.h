// Small problems for tests of linear models.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "learn/task.h"
#include "model/zoo.h"

namespace surety::learn {

inline data::Chunk chunk_of(std::uint32_t id, data::Samples samples) {
  data::Chunk chunk;
  chunk.range.id = ChunkId{id};
  chunk.range.count = static_cast<std::uint32_t>(samples.size());
  chunk.samples = std::move(samples);
  return chunk;
}

// A small problem whose labels come from a true model: `rows` rows of unit length with `features`
// normally distributed values. Labels are the sign of the margin (a tenth of them flipped), or for
// a regression the margin plus noise.
struct Problem {
  TaskOptions options;
  std::vector<data::Chunk> chunks;
};
inline Problem table(const std::string& model, std::uint32_t rows, std::uint32_t features,
                     std::uint32_t rows_per_chunk = 10) {
  Problem problem;
  problem.options.model = model;
  problem.options.samples = rows;
  problem.options.schema = {
      .layout = data::Layout::kDenseF32, .width = features, .features = features};
  Random random(7);
  std::vector<double> truth(features);
  for (double& w : truth) w = 3 * random.normal();
  data::Samples samples;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::vector<double> x(features);
    for (double& value : x) value = random.normal();
    const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    double margin = 0;
    for (std::uint32_t f = 0; f < features; ++f) {
      samples.f32.push_back(static_cast<float>(x[f] / length));
      margin += truth[f] * x[f] / length;
    }
    const double sign = (margin > 0) == (random.uniform() < 0.9) ? 1 : -1;
    const double label = model::is_regression(model) ? margin + 0.1 * random.normal() : sign;
    samples.label.push_back(static_cast<float>(label));
    if (samples.size() == rows_per_chunk || row + 1 == rows) {
      const auto id = static_cast<std::uint32_t>(problem.chunks.size());
      problem.chunks.push_back(chunk_of(id, std::exchange(samples, {})));
    }
  }
  return problem;
}

}  // namespace surety::learn
