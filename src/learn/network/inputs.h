// Converts samples to the inputs of a network, floats, and to class numbers.
//
// Bytes x become (x / 255 - 0.5) / 0.5, in [-1, 1]. Values of tables do not change. Sparse samples
// become dense, without the features that the network does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "learn/task.h"

namespace surety::learn {

// The inputs of one batch: labels.size() rows of `features` values.
struct Batch {
  std::vector<float> inputs;
  std::vector<std::int64_t> labels;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  void clear() {
    inputs.clear();
    labels.clear();
  }
};

// Appends sample `row`. REQUIRES: check_samples(samples, schema), row < samples.size().
// InvalidInput if the label is not one of 0..classes-1. O(features).
[[nodiscard]] Result<void> append_sample(const data::Samples& samples, const data::Schema& schema,
                                         std::size_t row, Batch& batch);

// The samples of work items as consecutive batches. Batches are full, across the boundaries of
// items, except the last one. A position of an item is one in sample_order(seed, pass, chunk).
class BatchReader {
 public:
  struct Options {
    data::Schema schema;
    std::uint64_t seed = 1;
    std::uint32_t batch = 32;
  };
  // Keeps references: work and chunks must outlive the reader. REQUIRES: batch >= 1; chunks holds
  // every chunk of work.items, and each item lies within its chunk.
  BatchReader(const Options& options, const LocalWork& work,
              const std::map<ChunkId, data::Chunk>& chunks)
      : options_(options), work_(work), chunks_(chunks) {}

  // Fills `batch` again; it is empty after the last sample. InvalidInput names the chunk and the
  // sample.
  [[nodiscard]] Result<void> next(Batch& batch);

 private:
  [[nodiscard]] Result<void> open_item();

  Options options_;
  const LocalWork& work_;
  const std::map<ChunkId, data::Chunk>& chunks_;
  std::size_t item_ = 0;              // Index of the item that is read, or opened next.
  std::uint32_t done_ = 0;            // Samples of the item that were read.
  std::vector<std::uint32_t> order_;  // Order of the item's chunk; empty if no item is open.
};

}  // namespace surety::learn
