// Whether the data sets of a run are still those that it began with.
//
// A run that goes on with other samples under the same name trains on something that nobody
// promised, and a certificate that is checked against other samples proves nothing. Samples are
// compared by their number and by a checksum of all of them in order (data/source_info.h), so that
// a file may lie elsewhere or be packed in another way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/source_info.h"

namespace surety::orchestrator {

// What differs between the data sets `then`, in the order of the job, and `now`: a sentence about
// the first that does. Nothing where they are the same. A checksum of 0 is not known and equals
// every other.
[[nodiscard]] std::optional<std::string> data_difference(const std::vector<data::SourceInfo>& then,
                                                         const std::vector<data::SourceInfo>& now);

}  // namespace surety::orchestrator
