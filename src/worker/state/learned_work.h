// What a worker has learned in an iteration of local SGD that is not committed yet. If the
// iteration is aborted because another worker is lost or a link breaks, and the same work is
// requested again, the worker continues from here. So in every mode only the work of the lost
// worker is lost. The work is one change of the model before the iteration. So it counts once, even
// if the iteration was begun several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/local_work.h"

namespace surety::proto {
class Step;
}  // namespace surety::proto

namespace surety::worker {

[[nodiscard]] std::vector<learn::WorkItem> items_of(const proto::Step& order);

struct LearnedWork {
  std::uint64_t iteration = 0;
  std::vector<learn::WorkItem> items{};  // The items as they were given.
  learn::LocalResult result{};           // Covers the first samples of the items.
  // Number of batches. Only an exchange counts them: it is absent after other learning.
  std::optional<std::uint32_t> steps{};
  double compute_s = 0;
  // The change of the model by this work alone; empty if there is none. The values from index
  // `trainable` on are statistics of the data (batch norm), which are averaged and not trained. If
  // `trainable` is absent, all values are trained.
  std::vector<float> change{};
  std::optional<std::size_t> trainable{};

  // Returns the work of the order before any learning.
  static LearnedWork begin(const proto::Step& order);
  // Whether the order requests this work, within the same session.
  [[nodiscard]] bool is_of(const proto::Step& order) const;
  [[nodiscard]] bool is_begun() const { return result.samples > 0; }
  // Items that are still to be learned, in order.
  [[nodiscard]] std::vector<learn::WorkItem> items_left() const;
  // REQUIRES: `model` has the size of the change, if there is a change.
  void add_to(std::span<float> model) const;
};

}  // namespace surety::worker
