// Can the job's model learn the labels of its data? Found out before a worker starts.
#pragma once

#include <optional>
#include <vector>

#include "data/source_info.h"
#include "orchestrator/job.h"

namespace surety::orchestrator {

// InvalidInput, naming the data set with its source, the label, how many samples have it, and what
// to do. Networks want classes 0, 1, 2, ... of which each has a training sample; logistic and the
// SVMs two classes, -1 and +1 or 0 and 1; regressions take any numbers. Validation may have no
// class that training has not.
//
// `sources` are of job.data, in its order; `validation` is of job.validation, if there is one.
[[nodiscard]] Result<void> check_labels(const Job& job,
                                        const std::vector<data::SourceInfo>& sources,
                                        const std::optional<data::SourceInfo>& validation);

// What the data call the class that is not 1: 0 where there are zeros and no -1, else -1.
[[nodiscard]] int negative_label(const std::vector<data::SourceInfo>& sources);

}  // namespace surety::orchestrator
