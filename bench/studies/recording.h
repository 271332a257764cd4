// What was recorded of a study, as its trajectories.csv has it: one line for each seed and path.
//
// A line holds the sums over sixteen fixed parts of the validation images, the same for all seeds
// and paths. From these follow the deciding and the certifying half of every division of the parts,
// so one recording can be replayed with each of them. Files of the older layout hold two halves
// instead, which each seed divided in its own way; they are read, and never added to.
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

// Over the images of a part, or of several.
struct Sums {
  std::uint32_t samples = 0;
  double loss = 0, loss_square = 0;
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
  std::string path;         // As Path::text() writes it.
  double cpu_s = 0;         // Real: of the last pass and of the evaluation.
  std::uint32_t bytes = 0;  // Of the model's parameters, which are what a checkpoint holds.
  std::array<Sums, kParts> parts;

  [[nodiscard]] Sums whole() const;
  friend bool operator==(const Measured&, const Measured&) = default;
};

// What one division of the images shows of a model: mean losses with their standard errors.
struct Point {
  std::uint32_t seed = 0;
  std::string path;
  double metric = 0, metric_se = 0;           // On the images that decide,
  double certify_metric = 0, certify_se = 0;  // and on those that certify.
  double cpu_s = 0;
};

struct Recording {
  bool is_older = false;  // Two halves a seed: `halves` is filled, otherwise `measured`.
  std::string described;  // The older layout's first line, as describe_halves() writes it.
  Provenance provenance;
  std::vector<Measured> measured;
  std::vector<Point> halves;
};

// What of a file is whole, where a process may have been killed while it wrote: without a last
// line, or first two lines, that were cut off.
[[nodiscard]] std::string_view whole_lines(std::string_view text);

// Both layouts. InvalidInput, with file, line, column, found and expected, for text that is
// neither, for a seed and path that come twice, and where metric, metric_se, accuracy or pass are
// not what the sums and the path say.
[[nodiscard]] Result<Recording> read_recording(std::string_view file, std::string_view text);

// The first two lines of a file, and a line of it.
[[nodiscard]] std::string head_of(const Provenance& provenance);
[[nodiscard]] std::string line_of(const Measured& measured);

// With as many digits as a file holds: the same whether it was just measured or is read.
[[nodiscard]] Measured as_written(Measured measured);

}  // namespace surety::bench
