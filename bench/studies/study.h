// What is studied: a network on images, how it is trained, which paths of it are recorded, and how
// long its passes take on the virtual clock.
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
#include "bench/studies/provenance.h"

namespace surety::bench {

struct StudyVersion {
  std::string name;
  // Virtual seconds of a pass on the reference node: a tenth of the full version's 100 s is not the
  // network's, the rest goes by multiply-adds.
  double pass_s = 0;
};

struct Study {
  std::string name;  // Also of the folder that its recording is in.
  std::string network;
  std::vector<std::string> train;  // Data URLs, relative to the folder of the data.
  std::string validation;
  std::vector<StudyVersion> versions;   // The full one first.
  std::uint32_t images = 0;             // Trained on: the first ones.
  std::uint32_t validation_images = 0;  // Of each half; parts of an eighth of it are recorded.
  std::uint32_t batch = 0;
  double learning_rate = 0;
  // Begins at zero in every pass, so that a pass depends on the model alone and paths can branch.
  double momentum = 0;
  // The largest time constant of the average of models that is measured, in passes; 0: the last
  // model is. As a job's train.average, by default.
  double average = 2;
  // What is recorded: seeds 1 to `seeds`, each version for `passes` on end, and from each version
  // after so many passes to each other one, for `switch_passes` more.
  std::uint32_t seeds = 0, passes = 0;
  std::vector<std::uint32_t> switch_after = {2, 4, 7, 10, 14};
  std::uint32_t switch_passes = 2;
  // Of the profile that plan_real plans from.
  std::uint32_t profile_seeds = 0, profile_passes = 0;
  // Spread of the logarithm of a pass's virtual duration, and virtual seconds of one evaluation and
  // of one change of version.
  double time_log_sd = 0.04;
  double eval_s = 5, switch_s = 5;
  // What plan_real promises: what the quickest version comes to in about half of the profile.
  double target = 0;
};

// All of them, with those that are like another one but for their data or learning rate.
[[nodiscard]] const std::vector<Study>& studies();

// InvalidInput, naming them, where there is none of that name.
[[nodiscard]] Result<Study> study_named(std::string_view name);

// What the losses of a study depend on, apart from the seed and the path: all but the data, which
// whoever has read them adds (kDataKey).
[[nodiscard]] Provenance provenance_of(const Study& study);
constexpr const char* kDataKey = "data";

// Validation images of each of the parts that are recorded.
[[nodiscard]] std::uint32_t images_of_part(const Study& study);

// The same as one line, as files of the older layout (two halves) have it. They were recorded
// without an average, whatever the study has today.
[[nodiscard]] std::string describe_halves(const Study& study);

}  // namespace surety::bench
