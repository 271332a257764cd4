// Whether the data sets of a run are still those that it began with.
//
// A run that goes on with other samples under the same name trains on something that nobody
// promised, and a certificate that is checked against other samples proves nothing. Samples are
// compared by their number and by a checksum of all of them in order (data/source_info.h), so that
// a file may lie elsewhere or be packed in another way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/source_info.h"

namespace surety::orchestrator {

struct DataDifference {
  std::size_t index = 0;  // Of the data set.
  std::string found;      // "59999 samples, expected 60000".
};

// The first difference; none where they are the same. A checksum of 0 is not known and equals every
// other.
// REQUIRES: both in the order of the job.
[[nodiscard]] std::optional<DataDifference> data_difference(
    const std::vector<data::SourceInfo>& then, const std::vector<data::SourceInfo>& now);

// InvalidInput, for a run that is to go on: what differs, and what to do.
// REQUIRES: both in the order of the job.
[[nodiscard]] Result<void> check_same_data(const std::vector<data::SourceInfo>& then,
                                           const std::vector<data::SourceInfo>& now);

}  // namespace surety::orchestrator
