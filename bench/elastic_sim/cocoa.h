// CoCoA for the linear SVM (hinge loss, lambda = 1/n), computed exactly and in one thread, however
// many partitions there are: for what an iteration achieves, not for how long it takes.
//
// Plain arithmetic in double, not the product's kernels: an emulation must be right, not fast.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "text_rows.h"

namespace surety::bench {

enum class Aggregation : std::uint8_t {
  kSafe,         // sigma' = K, updates are added.
  kAccelerated,  // As learn/glm_line_search.h: sigma' is less, the sum is followed as D rises.
};

class Cocoa {
 public:
  // `data` must outlive this.
  Cocoa(const TextRows& data, Aggregation aggregation, std::uint64_t seed);

  // One iteration: each partition's rows are visited once, its chunks of rows in random order, and
  // so the rows of a chunk. REQUIRES: partitions disjoint.
  using Chunk = std::pair<std::uint32_t, std::uint32_t>;  // First row, count.
  void iterate(std::span<const std::vector<Chunk>> partitions);
  // P(w) - D(alpha) >= 0.
  [[nodiscard]] double gap() const;

 private:
  void visit(std::uint32_t row, double sigma, std::vector<double>& local,
             std::vector<double>& dual_change);

  const TextRows& data_;
  Aggregation aggregation_;
  Random random_;
  std::uint64_t iteration_ = 0;
  std::vector<double> dual_;   // In [0, 1]: alpha_i y_i.
  std::vector<double> model_;  // w = sum of dual_i y_i x_i, as lambda n = 1.
};

}  // namespace surety::bench
