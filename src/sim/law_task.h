// Learning by a law instead of by computing: a network whose loss falls with the passes done.
//
// It is a task like any other (learn/task.h), so a simulated worker treats it as it does the real
// solver. Its model has few parameters: the first is the passes learned so far, over the whole data
// set; a sample lost or learned twice shows in it, and in every checksum. The second sums the
// visits of samples in updates (check/updates.h), the others numbers drawn for each update from the
// seed and its samples: which updates a model has, and which it has twice, can be seen in every one
// of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "learn/task.h"

namespace surety::sim {

// Of the passes done, also where the model has an average: that of a real network is no worse than
// its last model, and an average of passes would be.
//
// Loss after p passes: floor + (start - floor) / (1 + p / scale)^power. The scale differs from seed
// to seed, the loss of a measurement from measurement to measurement, both log-normally.
struct LossLaw {
  double start = 2.3;
  double floor = 0.08;
  double scale_passes = 0.8;
  double power = 1.2;
  double seed_spread = 0.08;  // Standard deviations of logarithms.
  double pass_spread = 0.01;
  double pruned_floor = 1.5;     // prune:F has a floor of floor * (1 + pruned_floor * F) ...
  double switch_loss = 0.1;      // ... and a switch forgets this share of the passes.
  double sample_spread = 0.5;    // Standard deviation of a sample's loss, over the mean one.
  std::uint32_t parameters = 2;  // 2 at least.
};

// Passes and noise apart, the expected loss of that version.
[[nodiscard]] double expected_loss(const LossLaw& law, const std::string& version, double passes);

// A task per session, as learn::TaskFactory makes them. REQUIRES: options.samples > 0.
[[nodiscard]] std::unique_ptr<learn::Task> make_law_task(const LossLaw& law,
                                                         const learn::TaskOptions& options);

}  // namespace surety::sim
