// Which data sets to train on.
//
// The order is the density chain: always the set with the most new coverage per cost next, where
// coverage is concave in the samples of each label (sum over labels of the label's share times
// sqrt(samples kept / samples there)), so that the tenth site with the same labels is worth less.
// Greedy by density on such a submodular gain is within 1 - 1/e of the best of its cost
// (Sviridenko 2004), up to the last set.
//
// What less data does to learning is measured, not guessed: only fractions that were profiled are
// offered, each by the shortest prefix of the chain that holds at least as many samples; a curve
// that was measured on fewer samples errs on the slow side. Without such a profile all data is
// used.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/promise.h"

namespace surety::plan {

struct DataChoice {
  std::vector<std::string> names;  // Sorted.
  double fraction = 1;             // Of all samples.
  double profiled_fraction = 1;    // Whose laws hold: the largest profiled one not above it.
  double price = 0;
  double label_distance = 0;  // Total variation between its labels and all labels; 0..1.
  std::string reason;
};

// Order by density. `price_per_sample`: what training on one more sample costs; with it and all
// prices 0, samples stand for cost. Ties go to the lower name. A set without a histogram counts as
// having one label of its own.
// O(n^2) evaluations of the gain.
[[nodiscard]] std::vector<std::size_t> density_chain(const std::vector<DataSet>& data,
                                                     double price_per_sample);

// One choice per profiled fraction, without duplicates, all data last. No data sets at all gives
// the one choice of everything, nameless and free: the job has its data in one place.
// REQUIRES: fractions ascending, not empty.
[[nodiscard]] std::vector<DataChoice> data_choices(const std::vector<DataSet>& data,
                                                   const std::vector<double>& fractions,
                                                   double price_per_sample);

}  // namespace surety::plan
