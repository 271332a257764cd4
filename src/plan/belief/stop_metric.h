// The metric at which training stops: the target less a margin, which the deciding samples must
// reach (docs/theory.md, section 2).
#pragma once

#include <algorithm>

namespace surety::plan {

// The target less a margin, so that the certifying samples agree with a chance of at least (1 +
// probability) / 2. Half of the allowed probability of failure is reserved for this measurement,
// and half for the training. The margin covers the noise of both halves of the samples.
//
// An attempt whose metric does not fall `steadily` stops at the luckiest of its checkpoints. A
// variance larger by a quarter, and the tails of Student's distribution, cover this choice. (Both
// were chosen on recorded runs on MNIST and CIFAR-10.)
[[nodiscard]] double stop_metric(double target, double probability, double metric_se,
                                 bool steadily = false);

// The worst metric on the deciding samples at which the certifying samples still agree with a
// chance of (1 - probability) / 2. This agreement would then be due to chance, not to training.
[[nodiscard]] double lucky_metric(double target, double probability, double metric_se);

// Whether the metric of one attempt falls from pass to pass.
class Fall {
 public:
  // `start`: the metric of an untrained model; infinite if unknown.
  explicit Fall(double start) : best_(start) {}
  void on_pass(double metric);
  // Whether each of the last four passes was better than all before it. With fewer passes, this
  // must hold for each.
  [[nodiscard]] bool is_steady() const { return on_end_ >= std::min(passes_, 4u); }

 private:
  double best_;
  // The number of passes, and of the last consecutive ones that were each the best so far.
  unsigned passes_ = 0;
  unsigned on_end_ = 0;
};

}  // namespace surety::plan
