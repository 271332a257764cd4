// When training stops: the margin between the target and what the deciding samples must show
// (docs/theory.md, section 2).
#pragma once

#include <algorithm>

namespace surety::plan {

// The target less a margin, so that the certifying samples agree with a chance of at least (1 +
// probability) / 2. Half of the probability that the promise may fail is left to this measurement,
// half to the training. The margin covers the noise of both halves of the samples.
//
// An attempt whose metric does not fall `steadily` stops at the luckiest of its checkpoints. A
// variance larger by a quarter, and the tails of Student's distribution, cover this choice. (Both
// were chosen on recorded runs on MNIST and CIFAR-10.)
[[nodiscard]] double stop_metric(double target, double probability, double metric_se,
                                 bool steadily = false);

// The worst metric on the deciding samples at which the certifying samples still agree with a
// chance of (1 - probability) / 2. They do so by luck, not because of training.
[[nodiscard]] double lucky_metric(double target, double probability, double metric_se);

// Whether the metric of one attempt falls from pass to pass.
class Fall {
 public:
  // `start`: the metric of an untrained model; infinite if unknown.
  explicit Fall(double start) : best_(start) {}
  void on_pass(double metric);
  // Whether each of the last four passes was better than all before it. With fewer passes, each
  // must be.
  [[nodiscard]] bool is_steady() const { return on_end_ >= std::min(passes_, 4u); }

 private:
  double best_;
  // All passes, and how many of the last ones were each the best so far.
  unsigned passes_ = 0;
  unsigned on_end_ = 0;
};

}  // namespace surety::plan
