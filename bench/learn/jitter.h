// How much the loss jumps from one checkpoint to the next, of the last model and of the average of
// models (learn/weight_average.h), and after how many passes each first reaches a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::bench {

// Local SGD, as a job does it: iterations of `local_steps` batches on each worker, then the average
// by samples, which the next iteration goes on from.
struct JitterCase {
  std::string name;
  std::string model;
  std::string version = "full";
  std::string train, validation;  // URLs, relative to the folder of the data.
  std::uint32_t images = 0;       // The first ones.
  std::uint32_t validation_images = 0;
  std::uint32_t workers = 1;
  std::uint32_t local_steps = 16;
  std::uint32_t batch = 32;
  double learning_rate = 0.01;
  double momentum = 0.9;
  std::uint32_t passes = 14;
  std::vector<double> targets;  // Losses, the easiest first.
};

// Of one seed.
struct LossCurves {
  std::vector<double> last, averaged;  // Validation loss after each pass.
};

// InvalidInput where files are missing or hold too few images.
[[nodiscard]] Result<std::vector<LossCurves>> train_curves(const JitterCase& spec,
                                                           const std::string& folder,
                                                           std::uint32_t seeds);

// Standard deviation of the step from one pass to the next, from pass `after` on.
// REQUIRES: at least two such steps.
[[nodiscard]] double jitter_of(const std::vector<double>& losses, std::size_t after);

// The first pass, from 1, with such a loss; one more than there are where none has.
[[nodiscard]] double passes_to(const std::vector<double>& losses, double target);

}  // namespace surety::bench
