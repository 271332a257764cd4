// CoCoA for the linear SVM (hinge loss, lambda = 1/n), computed exactly and on one thread for any
// number of partitions. It computes the progress of an iteration, not its duration.
//
// The arithmetic is plain double and not that of the product's kernels: an emulation must be
// correct rather than fast.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "text_rows.h"

namespace surety::bench {

enum class Aggregation : std::uint8_t {
  kSafe,  // sigma' = K; the updates are added.
  // The rule of learn/linear/glm_line_search.h: sigma' is smaller, and the model moves along the
  // summed update as long as D rises.
  kAccelerated,
};

class Cocoa {
 public:
  // `data` must outlive this object.
  Cocoa(const TextRows& data, Aggregation aggregation, std::uint64_t seed);

  // One iteration visits each partition's rows once. The chunks of a partition are in random order,
  // and so are the rows of a chunk. REQUIRES: partitions disjoint.
  using Chunk = std::pair<std::uint32_t, std::uint32_t>;  // First row and number of rows.
  void iterate(std::span<const std::vector<Chunk>> partitions);
  // The duality gap P(w) - D(alpha) >= 0.
  [[nodiscard]] double gap() const;

 private:
  void visit(std::uint32_t row, double sigma, std::vector<double>& local,
             std::vector<double>& dual_change);

  const TextRows& data_;
  Aggregation aggregation_;
  Random random_;
  std::uint64_t iteration_ = 0;
  std::vector<double> dual_;   // alpha_i y_i, in [0, 1].
  std::vector<double> model_;  // w = sum of dual_i y_i x_i, because lambda n = 1.
};

}  // namespace surety::bench
