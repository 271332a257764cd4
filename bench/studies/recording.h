// The recording of a study in its trajectories.csv: one line for each seed and path.
//
// A line holds the sums over sixteen fixed parts of the validation images, the same for all seeds
// and paths. The deciding and the certifying half of every division of the parts follow from these
// sums, so one recording can be replayed with each division. Files of the older layout hold two
// halves instead, and each seed had its own division. Such files are read, but never extended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/studies/provenance.h"

namespace surety::bench {

constexpr std::size_t kParts = 16;

// Sums over the images of one or more parts.
struct Sums {
  std::uint32_t samples = 0;
  double loss = 0;
  double loss_square = 0;
  std::uint32_t correct = 0;

  void add(const Sums& more);
  // The mean loss, its standard error, and the share of correct answers. REQUIRES: samples > 0.
  [[nodiscard]] double mean() const { return loss / samples; }
  [[nodiscard]] double mean_se() const;
  [[nodiscard]] double accuracy() const { return 1.0 * correct / samples; }

  friend bool operator==(const Sums&, const Sums&) = default;
};

// A model's evaluation after a path.
struct Measured {
  std::uint32_t seed = 0;
  std::string path;  // The path in the form of Path::text().
  double cpu_s = 0;  // Real CPU seconds of the last pass and of the evaluation.
  // Size of the model's parameters, which are the content of a checkpoint.
  std::uint32_t bytes = 0;
  std::array<Sums, kParts> parts;

  [[nodiscard]] Sums whole() const;
  friend bool operator==(const Measured&, const Measured&) = default;
};

// The evaluation of a model with one division of the images: mean losses with their standard
// errors.
struct Point {
  std::uint32_t seed = 0;
  std::string path;
  double metric = 0;          // Loss on the deciding images.
  double metric_se = 0;       // Its standard error.
  double certify_metric = 0;  // Loss on the certifying images.
  double certify_se = 0;      // Its standard error.
  double cpu_s = 0;
};

struct Recording {
  bool is_older = false;  // With the older layout `halves` is filled, otherwise `measured`.
  std::string described;  // The first line of the older layout, as describe_halves() writes it.
  Provenance provenance;
  std::vector<Measured> measured;
  std::vector<Point> halves;
};

// The complete part of a file whose writer may have been killed: the text without a last line, or
// first two lines, that were cut off.
[[nodiscard]] std::string_view whole_lines(std::string_view text);

// Reads both layouts. InvalidInput, with file, line, column, found and expected, for text of
// neither layout, for a seed and path that occur twice, and if metric, metric_se, accuracy or pass
// do not follow from the sums and the path.
[[nodiscard]] Result<Recording> read_recording(std::string_view file, std::string_view text);

// The first two lines of a file, and one of its other lines.
[[nodiscard]] std::string head_of(const Provenance& provenance);
[[nodiscard]] std::string line_of(const Measured& measured);

// Rounds the sums to the digits of a file, so that they are the same just after measuring and after
// reading.
[[nodiscard]] Measured as_written(Measured measured);

}  // namespace surety::bench
