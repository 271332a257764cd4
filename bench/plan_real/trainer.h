// Trains a study's network as one worker does: our task, our chunks and orders, our versions.
//
// Without momentum: the model is all that one pass hands to the next, so a model that was kept can
// be trained on from there in several ways, each exactly as if it had never stopped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "images.h"
#include "learn/task.h"
#include "study.h"

namespace surety::bench {

// A model's loss on both splits, with standard errors.
struct Measured {
  double metric = 0, metric_se = 0;
  double certify_metric = 0, certify_se = 0;
};

class Trainer {
 public:
  Trainer(const Study& study, Images images);

  // Untrained, as a version of it. A seed is an initial model, an order of samples and a pair of
  // splits, as in a job.
  [[nodiscard]] Result<learn::Model> begin(std::uint32_t seed, const std::string& version);
  [[nodiscard]] Result<learn::Model> switch_version(const learn::Model& model,
                                                    const std::string& version);
  // REQUIRES: `pass` passes were trained before, from begin(seed, ...).
  [[nodiscard]] Result<void> train_pass(std::uint32_t seed, std::uint32_t pass,
                                        learn::Model& model);
  [[nodiscard]] Result<Measured> measure(const learn::Model& model);

 private:
  [[nodiscard]] Result<void> use_seed(std::uint32_t seed);

  Study study_;
  Images images_;
  std::uint32_t seed_ = 0;             // Of task_.
  std::unique_ptr<learn::Task> task_;  // Null until a seed is used.
  Splits splits_;                      // Of seed_.
  std::vector<float> update_;          // Kept for its memory.
};

}  // namespace surety::bench
