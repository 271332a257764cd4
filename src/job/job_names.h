// The names that a job file uses for the values of its choices.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "job/job.h"

namespace surety::job {

// The names of the linear models, which cocoa trains, and of the networks.
[[nodiscard]] const std::vector<std::string>& zoo_names();

// The name in job files and in certificate.json: validation_loss, accuracy, duality_gap.
[[nodiscard]] const char* name_of(plan::Metric metric);
// InvalidInput for another name.
[[nodiscard]] Result<plan::Metric> metric_named(const std::string& name);
[[nodiscard]] const char* name_of(Solver solver);                // local-sgd, cocoa
[[nodiscard]] const char* name_of(Aggregation aggregation);      // safe, accelerated
[[nodiscard]] const char* name_of(elastic::OnResize on_resize);  // keep_batch, scale_rate, none
[[nodiscard]] const char* name_of(TrainMode mode);               // sync, batch, bounded, async

}  // namespace surety::job
