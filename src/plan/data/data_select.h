// Chooses the data sets to train on: prefixes of the density chain (data_chain.h). The planner
// plans each of them in full, because cost per pass times passes would misjudge them by about 12 %.
//
// The effect of less data on learning is measured, not guessed. No prefix has fewer samples than
// the smallest profiled fraction. A prefix between two profiled fractions is planned with laws
// interpolated between theirs (plan/laws/data_laws.h). A prefix above the largest one uses the laws
// of that fraction: a curve that was measured on fewer samples errs on the slow side. With a single
// profiled fraction of all data, all data is used.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/data/data_chain.h"
#include "plan/promise.h"

namespace surety::plan {

struct DataChoice {
  std::vector<std::string> names;  // Sorted names of the data sets.
  double fraction = 1;             // Share of all samples.
  double profiled_fraction = 1;    // The largest profiled fraction that is not above `fraction`.
  // The next profiled fraction. Set if laws are interpolated.
  std::optional<double> profiled_above = {};
  double price = 0;
  double label_distance = 0;  // Total variation distance between its labels and all labels; 0..1.
  std::string reason;
};

// The choices are prefixes of the density chain over the named sets. Full coverage means the
// samples of all sets. Ties go to the lower name, for any order of `data`. A set without a
// histogram counts as having a label of its own.
//
// Returns the shortest prefixes that contain each profiled fraction. Up to kChoicesMax in all, it
// adds prefixes with 1, 2, 4 and 1/2 times the samples of the chain's best prefix (or of the
// smallest profiled fraction, if that is more). These stay within the profiled and worthwhile data,
// and are omitted if they are similar to another one. Sorted by size, with all data last. Without
// data sets the result is a single choice of all data, without name and price: the job has its data
// in one place. REQUIRES: fractions ascending, in (0, 1], not empty; names differ; prices finite,
// not negative.
inline constexpr std::size_t kChoicesMax = 6;
[[nodiscard]] std::vector<DataChoice> data_choices(const std::vector<DataSet>& data,
                                                   std::span<const double> fractions,
                                                   const DataCosts& costs);

}  // namespace surety::plan
