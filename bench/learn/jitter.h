// Measures the change of the loss from one checkpoint to the next, for the last model and for the
// average of models (learn/network/weight_average.h), and the number of passes after which each
// first reaches a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::bench {

// Local SGD as in a job: each worker takes `local_steps` batches in an iteration. The next
// iteration continues from the average of the models, weighted by samples.
struct JitterCase {
  std::string name;
  std::string model;
  std::string version = "full";
  std::string train;         // URL, relative to the folder of the data.
  std::string validation;    // URL, relative to the folder of the data.
  std::uint32_t images = 0;  // Only the first images are used.
  std::uint32_t validation_images = 0;
  std::uint32_t workers = 1;
  std::uint32_t local_steps = 16;
  std::uint32_t batch = 32;
  double learning_rate = 0.01;
  double momentum = 0.9;
  std::uint32_t passes = 14;
  std::vector<double> targets;  // Target losses, the easiest first.
};

// The curves of one seed.
struct LossCurves {
  std::vector<double> last;      // Validation loss after each pass.
  std::vector<double> averaged;  // Validation loss after each pass.
};

// InvalidInput if files are missing or hold too few images.
[[nodiscard]] Result<std::vector<LossCurves>> train_curves(const JitterCase& spec,
                                                           const std::string& folder,
                                                           std::uint32_t seeds);

// Standard deviation of the change from one pass to the next, from pass `after` on.
// REQUIRES: at least two such changes.
[[nodiscard]] double jitter_of(const std::vector<double>& losses, std::size_t after);

// The first pass, counted from 1, whose loss reaches the target. If there is none, the number of
// passes plus one.
[[nodiscard]] double passes_to(const std::vector<double>& losses, double target);

}  // namespace surety::bench
