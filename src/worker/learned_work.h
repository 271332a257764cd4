// What a worker has learned in an iteration of local SGD, as long as nothing of it is committed: if
// the iteration comes to nothing, because another worker is lost or a link breaks, and the same
// work is asked for again, it goes on from here. So what is lost with a worker is its own work and
// nobody else's, in every mode; and since it is one change of the model of before the iteration,
// however often it was begun, it counts once.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::vector<learn::WorkItem> items{};  // As they were given.
  learn::LocalResult result{};           // Of the first samples of these.
  std::uint32_t steps = 0;               // Batches.
  double compute_s = 0;
  // What that work alone changes of the model, empty for nothing; statistics from `trainable` on.
  std::vector<float> change{};
  std::size_t trainable = 0;

  // Of nothing yet.
  static LearnedWork begin(const proto::Step& order);
  // The order asks for this work, within the same session.
  [[nodiscard]] bool is_of(const proto::Step& order) const;
  [[nodiscard]] bool is_begun() const { return result.samples > 0; }
  // What is still to be learned, in order.
  [[nodiscard]] std::vector<learn::WorkItem> items_left() const;
  // REQUIRES: of the model's size, where there is a change.
  void add_to(std::span<float> model) const;
};

}  // namespace surety::worker
