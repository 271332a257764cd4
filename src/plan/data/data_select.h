// Which data sets to train on: prefixes of the density chain (data_chain.h), for the planner to
// compare with all that it knows; cost per pass times passes alone misjudges them by some 12 %.
//
// What less data does to learning is measured, not guessed. No prefix holds fewer samples than the
// smallest profiled fraction. A prefix between two profiled fractions is planned with laws between
// theirs (data_laws.h), one above the largest with the laws of that: a curve that was measured on
// fewer samples errs on the slow side. With a single fraction of all data, all is used.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plan/data/data_chain.h"
#include "plan/promise.h"

namespace surety::plan {

struct DataChoice {
  std::vector<std::string> names;  // Sorted.
  double fraction = 1;             // Of all samples.
  double profiled_fraction = 1;    // Whose laws hold: the largest profiled one not above it,
  double profiled_above = 0;       // or laws between those and this one's; 0: those alone.
  double price = 0;
  double label_distance = 0;  // Total variation between its labels and all labels; 0..1.
  std::string reason;
};

// The density chain over named data sets; full coverage is what all of them hold. Ties go to the
// lower name, whatever the order of `data`. A set without a histogram counts as having one label of
// its own.
[[nodiscard]] DataChain density_chain(const std::vector<DataSet>& data, const DataCosts& costs);

// Shortest prefixes that hold each profiled fraction; then, up to kChoicesMax in all, prefixes of
// 1, 2, 4 and 1/2 times the samples of the chain's best (of the smallest profiled fraction, where
// that is more), within what is profiled and what is worthwhile, unless much like another.
// Ascending; all data last. No data sets at all gives the one choice of everything, nameless and
// free: the job has its data in one place.
// REQUIRES: fractions ascending, in (0, 1], not empty; names differ; prices finite, not negative.
inline constexpr std::size_t kChoicesMax = 6;
[[nodiscard]] std::vector<DataChoice> data_choices(const std::vector<DataSet>& data,
                                                   std::span<const double> fractions,
                                                   const DataCosts& costs);

}  // namespace surety::plan
