// When training stops: the margin between the target and what the deciding samples must show.
#pragma once

namespace surety::plan {

// The target less a margin, so that samples which decided nothing agree with a chance of at least
// (1 + probability) / 2: half of what the promise may fail by is left to that, half to the
// training. The margin carries the noise of both halves; a quarter more in variance for what
// belongs to the split and is shared by all checkpoints; and the tails of that difference, which
// are heavier than a normal distribution's (both chosen on recorded runs on MNIST and CIFAR-10).
[[nodiscard]] double stop_metric(double target, double probability, double metric_se);

}  // namespace surety::plan
