// The files of a run's model that are made for its user.
//
// They are made from the certified checkpoint, the job, and the description of the data in the
// journal. So they can be made again and compared, even if the data no longer exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "job/job.h"
#include "learn/task.h"
#include "orchestrator/history/run_state.h"

namespace surety::runtime {

struct ResultFile {
  std::string_view name;  // The name of the file in the run's folder.
  std::string bytes;
};

// model.safetensors, and for a linear model also model.liblinear. `model` is that of the certified
// checkpoint. InvalidInput if the job's model cannot be made for the journal's data. Corrupt if
// `model` has another size or values that are not finite.
[[nodiscard]] Result<std::vector<ResultFile>> result_files(const learn::Model& model,
                                                           const job::Job& job,
                                                           const orchestrator::RunState& state);

}  // namespace surety::runtime
