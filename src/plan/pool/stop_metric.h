// When training stops: the margin between the target and what the deciding samples must show
// (docs/theory.md, section 2).
#pragma once

#include <algorithm>

namespace surety::plan {

// The target less a margin, so that samples which decided nothing agree with a chance of at least
// (1 + probability) / 2: half of what the promise may fail by is left to that, half to the
// training. The margin carries the noise of both halves. An attempt whose metric does not fall
// `steadily` stops at the luckiest of its checkpoints: a quarter more in variance, and the tails of
// Student's distribution, carry that choice (both chosen on recorded runs on MNIST and CIFAR-10).
[[nodiscard]] double stop_metric(double target, double probability, double metric_se,
                                 bool steadily = false);

// The worst metric on the deciding samples with which the others still agree with a chance of
// (1 - probability) / 2: by their luck, not by training.
[[nodiscard]] double lucky_metric(double target, double probability, double metric_se);

// Whether the metric of one attempt falls from pass to pass.
class Fall {
 public:
  // `start`: of an untrained model; infinite where nobody knows.
  explicit Fall(double start) : best_(start) {}
  void passed(double metric);
  // Each of the last four passes was better than all before it; of fewer, each of them.
  [[nodiscard]] bool is_steady() const { return on_end_ >= std::min(passes_, 4u); }

 private:
  double best_;
  unsigned passes_ = 0, on_end_ = 0;  // In all, and the last ones that were the best.
};

}  // namespace surety::plan
