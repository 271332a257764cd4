// What is studied: a network on images, how it is trained, and how long its passes take on the
// virtual clock.
//
// The losses are real: real training of real networks. Prices and speeds are not: a pass takes what
// its version's work takes on a reference node of the study, so that no figure depends on the
// machine that trains.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::bench {

struct StudyVersion {
  std::string name;
  // Virtual seconds of a pass on the reference node: a tenth of the full version's 100 s is not the
  // network's, the rest goes by multiply-adds.
  double pass_s = 0;
};

struct Study {
  std::string name;  // Also of the folder that its profile is in.
  std::string network;
  std::vector<std::string> train;  // Data URLs, relative to the folder of the data.
  std::string validation;
  std::vector<StudyVersion> versions;   // The full one first.
  std::uint32_t images = 0;             // Trained on: the first ones.
  std::uint32_t validation_images = 0;  // Of each split.
  std::uint32_t batch = 0;
  double learning_rate = 0;
  std::uint32_t profile_seeds = 0, profile_passes = 0;
  // Spread of the logarithm of a pass's virtual duration, and virtual seconds of one evaluation and
  // of one change of version.
  double time_log_sd = 0.04;
  double eval_s = 0, switch_s = 0;
  // What is promised in the runs: what the quickest version comes to in about half of the profile.
  double target = 0;
};

// mnist and cifar10.
[[nodiscard]] const std::vector<Study>& studies();

// InvalidInput, naming them, where there is none of that name.
[[nodiscard]] Result<Study> study_named(std::string_view name);

// One line: what a stored trajectory depends on.
[[nodiscard]] std::string describe(const Study& study);

}  // namespace surety::bench
