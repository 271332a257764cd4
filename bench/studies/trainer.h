// Trains a study's network as one worker does: our task, our chunks and orders, our versions.
//
// The model, with its average where the study has one, is all that one pass hands to the next
// (momentum begins at zero in each pass), so a model that was kept can be trained on from there in
// several ways, each exactly as if it had never stopped. What is measured is the average, as in a
// job. An iteration is of as many batches as a worker's is by default, so a job of one worker has
// this average; one of several has fewer models in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/studies/images.h"
#include "bench/studies/study.h"
#include "learn/task.h"

namespace surety::bench {

class Trainer {
 public:
  // InvalidInput where there are fewer validation images than the study wants.
  [[nodiscard]] static Result<Trainer> make(const Study& study, Images images);

  // What is trained and evaluated on: see Images::content.
  [[nodiscard]] const std::string& content() const { return images_.content; }

  // Untrained, as a version of it. A seed is an initial model and an order of samples, as in a job.
  [[nodiscard]] Result<learn::Model> begin(std::uint32_t seed, const std::string& version);
  [[nodiscard]] Result<learn::Model> switch_version(const learn::Model& model,
                                                    const std::string& version);
  // REQUIRES: `pass` passes were trained before, from begin(seed, ...).
  [[nodiscard]] Result<void> train_pass(std::uint32_t seed, std::uint32_t pass,
                                        learn::Model& model);
  // Seed, path and time are the caller's to fill in.
  [[nodiscard]] Result<Measured> measure(const learn::Model& model);

 private:
  Trainer(const Study& study, Images images, Parts parts)
      : study_(study), images_(std::move(images)), parts_(std::move(parts)) {}
  [[nodiscard]] Result<void> use_seed(std::uint32_t seed);
  // One iteration, after `begin` passes over the images.
  [[nodiscard]] Result<void> iterate(const learn::LocalWork& work, double begin,
                                     learn::Model& model);

  Study study_;
  Images images_;
  Parts parts_;                        // Of images_.validation.
  std::uint32_t seed_ = 0;             // Of task_.
  std::unique_ptr<learn::Task> task_;  // Null until a seed is used.
  std::vector<float> update_;          // Kept for its memory.
};

}  // namespace surety::bench
