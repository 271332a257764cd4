// Trains a study's network as one worker does, with the same task, chunks, orders and versions.
//
// A pass gets only the model from the pass before, with its average if the study has one: momentum
// begins at zero in each pass. So a kept model can be trained further in several ways, each exactly
// as if training had never stopped.
//
// The average is measured, as in a job. An iteration has as many batches as a worker's iteration by
// default. So a job of one worker has this average; in a job of several workers it contains fewer
// models.
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
  // InvalidInput if there are fewer validation images than the study needs.
  [[nodiscard]] static Result<Trainer> make(const Study& study, Images images);

  // The checksum of the images for training and evaluation: see Images::content.
  [[nodiscard]] const std::string& content() const { return images_.content; }

  // An untrained model of this version. The seed determines the initial model and the order of
  // samples, as in a job.
  [[nodiscard]] Result<learn::Model> begin(std::uint32_t seed, const std::string& version);
  [[nodiscard]] Result<learn::Model> switch_version(const learn::Model& model,
                                                    const std::string& version);
  // REQUIRES: `pass` passes were trained before, from begin(seed, ...).
  [[nodiscard]] Result<void> train_pass(std::uint32_t seed, std::uint32_t pass,
                                        learn::Model& model);
  // Evaluates the model. The caller fills in seed, path and time.
  [[nodiscard]] Result<Measured> measure(const learn::Model& model);

 private:
  Trainer(const Study& study, Images images, Parts parts)
      : study_(study), images_(std::move(images)), parts_(std::move(parts)) {}
  [[nodiscard]] Result<void> use_seed(std::uint32_t seed);
  // Trains one iteration, which starts after `begin` passes over the images.
  [[nodiscard]] Result<void> iterate(const learn::LocalWork& work, double begin,
                                     learn::Model& model);

  Study study_;
  Images images_;
  Parts parts_;                        // Parts of images_.validation.
  std::uint32_t seed_ = 0;             // Seed of task_.
  std::unique_ptr<learn::Task> task_;  // Null until a seed is used.
  std::vector<float> update_;          // Kept to reuse its memory.
};

}  // namespace surety::bench
