// Checks that the data sets of a run are still those that it began with.
//
// If the samples under a name have changed, the promise of a resumed run does not hold for them,
// and a check of a certificate with them proves nothing. Samples are compared by their number and
// by a checksum over all of them in order (data/sources/source_info.h). So a file may be moved or
// compressed in another way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sources/source_info.h"

namespace surety::orchestrator {

struct DataDifference {
  std::size_t index = 0;  // Index of the data set.
  std::string found;      // "59999 samples, expected 60000".
};

// Returns the first difference, or nothing if the data sets are the same. An unknown checksum
// counts as equal to every other. REQUIRES: both in the order of the job.
[[nodiscard]] std::optional<DataDifference> data_difference(
    const std::vector<data::SourceInfo>& then, const std::vector<data::SourceInfo>& now);

// For a run that is going to be resumed. InvalidInput states the difference and gives advice.
// REQUIRES: both in the order of the job.
[[nodiscard]] Result<void> check_same_data(const std::vector<data::SourceInfo>& then,
                                           const std::vector<data::SourceInfo>& now);

}  // namespace surety::orchestrator
