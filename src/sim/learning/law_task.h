// Learning by a law instead of by computation: a network whose loss falls with the passes done.
//
// It is a task like any other (learn/task.h), so a simulated worker handles it like the real
// solver. Its model has few parameters. The first is the number of passes learned so far, over the
// whole data set: a sample that is lost or learned twice changes it, and so every checksum. The
// second is a sum over the visits of samples in updates (sim/check/updates.h). The others are sums
// of numbers that are drawn for each update from the seed and the samples of the update. So they
// differ if a model lacks an update or contains it twice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "learn/task.h"

namespace surety::sim {

// The loss depends on the passes done, even if the model has an average: the average of a real
// network is not worse than its last model, while an average of passes would be smaller than the
// last number of passes, and so worse.
//
// The loss after p passes is floor + (start - floor) / (1 + p / scale)^power. The scale varies from
// seed to seed, and the loss from measurement to measurement. Both have lognormal distributions.
struct LossLaw {
  double start = 2.3;
  double floor = 0.08;
  double scale_passes = 0.8;
  double power = 1.2;
  double seed_spread = 0.08;  // Standard deviation of the logarithm of the scale, between seeds.
  // Standard deviation of the logarithm of the loss, between measurements.
  double pass_spread = 0.01;
  double pruned_floor = 1.5;   // prune:F has a floor of floor * (1 + pruned_floor * F).
  double switch_loss = 0.1;    // A switch of version loses this share of the passes.
  double sample_spread = 0.5;  // Standard deviation of a sample's loss, relative to the mean loss.
  std::uint32_t parameters = 2;  // There are at least 2.
};

// The expected loss of the version after this number of passes, without noise.
[[nodiscard]] double expected_loss(const LossLaw& law, const std::string& version, double passes);

// Makes a task for each session, as learn::TaskFactory does. REQUIRES: options.samples > 0.
[[nodiscard]] std::unique_ptr<learn::Task> make_law_task(const LossLaw& law,
                                                         const learn::TaskOptions& options);

}  // namespace surety::sim
