// Describes a study: a network on images, how it is trained, which of its paths are recorded, and
// how long its passes take on the virtual clock.
//
// The losses are real: they come from real training of real networks. Prices and speeds are not: a
// pass takes the time of its version's work on a reference node of the study. So no figure depends
// on the machine that trains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/studies/provenance.h"

namespace surety::bench {

struct StudyVersion {
  std::string name;
  // Virtual seconds of a pass on the reference node. A tenth of the full version's 100 s is
  // independent of the network; the rest is proportional to multiply-adds.
  double pass_s = 0;
};

struct Study {
  std::string name;  // The folder with its recording has this name, too.
  std::string network;
  std::vector<std::string> train;  // Data URLs, relative to the folder of the data.
  std::string validation;
  std::vector<StudyVersion> versions;  // The versions; the full one is first.
  std::uint32_t images = 0;            // Number of training images: the first ones are used.
  // Images of each half; a recorded part is an eighth of a half.
  std::uint32_t validation_images = 0;
  std::uint32_t batch = 0;
  double learning_rate = 0;
  // The momentum begins at zero in every pass, so that a pass depends on the model alone and paths
  // can branch.
  double momentum = 0;
  // The largest time constant of the measured average of models, in passes, as in a job's
  // train.average by default. Without it the last model is measured.
  std::optional<double> average = 2;
  // The recorded paths. Seeds 1 to `seeds` train each version for `passes` passes. After the
  // numbers of passes in `switch_after`, each version is changed to each other one, for
  // `switch_passes` more passes.
  std::uint32_t seeds = 0;
  std::uint32_t passes = 0;
  std::vector<std::uint32_t> switch_after = {2, 4, 7, 10, 14};
  std::uint32_t switch_passes = 2;
  // Seeds and passes of the profile that plan_real plans from.
  std::uint32_t profile_seeds = 0;
  std::uint32_t profile_passes = 0;
  // The standard deviation of the logarithm of a pass's virtual duration, and the virtual seconds
  // of one evaluation and of one change of version.
  double time_log_sd = 0.04;
  double eval_s = 5;
  double switch_s = 5;
  // The target that plan_real promises: the metric that the fastest version reaches in about half
  // of the profile.
  double target = 0;
};

// All studies, including those that differ from another one only in their data or learning rate.
[[nodiscard]] const std::vector<Study>& studies();

// InvalidInput, with the names of all studies, if there is no study with that name.
[[nodiscard]] Result<Study> study_named(std::string_view name);

// Everything that the losses of a study depend on, except for the seed, the path and the data. The
// code that reads the data adds them (kDataKey).
[[nodiscard]] Provenance provenance_of(const Study& study);
constexpr const char* kDataKey = "data";

// Number of validation images in each recorded part.
[[nodiscard]] std::uint32_t images_of_part(const Study& study);

// Describes the study in one line, as files of the older layout (two halves) do. These were
// recorded without an average, even if the study has one today.
[[nodiscard]] std::string describe_halves(const Study& study);

}  // namespace surety::bench
