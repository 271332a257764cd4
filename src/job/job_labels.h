// Whether the job's model can learn the labels of its data; checked before a worker starts.
#pragma once

#include <optional>
#include <vector>

#include "data/sources/source_info.h"
#include "job/job.h"

namespace surety::job {

// InvalidInput names the data set with its source, the label, how many samples have it, and what to
// do. Networks need classes 0, 1, 2, ..., each with a training sample. logistic and the SVMs need
// two classes, -1 and +1 or 0 and 1. Regressions accept any numbers. Validation may have no class
// that training lacks.
//
// `sources` belong to job.data, in its order; `validation` belongs to job.validation, if there is
// one.
[[nodiscard]] Result<void> check_labels(const Job& job,
                                        const std::vector<data::SourceInfo>& sources,
                                        const std::optional<data::SourceInfo>& validation);

// The label of the class that is not 1: 0 if there are zeros and no -1, else -1.
[[nodiscard]] int negative_label(const std::vector<data::SourceInfo>& sources);

}  // namespace surety::job
