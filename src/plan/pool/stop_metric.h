// When training stops: the margin between the target and what the deciding samples must show.
#pragma once

#include <limits>

namespace surety::plan {

// The target less a margin, so that samples which decided nothing agree with a chance of at least
// (1 + probability) / 2: half of what the promise may fail by is left to that, half to the
// training. The margin carries the noise of both halves; a quarter more in variance for what
// belongs to the split and is shared by all checkpoints; and the tails of that difference, which
// are heavier than a normal distribution's (both chosen on recorded runs on MNIST and CIFAR-10).
//
// `drop`: by how much the metric falls in a pass (Fall). An attempt that falls in large steps
// comes to lie anywhere within its last step below the margin, and so deeper than the margin says:
// the chance is that over where it may lie, and the margin can be smaller. It is never below 0: who
// stops has seen the target. 0 where the drop is not known.
// REQUIRES: 0 <= probability < 1, metric_se >= 0.
[[nodiscard]] double stop_metric(double target, double probability, double metric_se,
                                 double drop = 0);

// How fast the metric of one attempt falls.
class Fall {
 public:
  // `start`: of an untrained model; infinite where nobody knows.
  explicit Fall(double start) : best_(start) {}
  void passed(double metric);
  // By how much each of the last two passes at least was below the best before it: chance is not
  // taken for a fall. 0: one of them was not. Before the second pass, of the first alone.
  [[nodiscard]] double drop() const { return drop_; }

 private:
  double best_;
  double last_ = std::numeric_limits<double>::infinity();  // By which the last pass was below it.
  double drop_ = 0;
};

}  // namespace surety::plan
