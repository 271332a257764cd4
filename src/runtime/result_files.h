// The files of a run's model that its user takes away.
//
// They are made of the certified checkpoint, of the job, and of what the journal says of the data.
// So they can be made again and compared, also where the data are no longer there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/task.h"
#include "orchestrator/job.h"
#include "orchestrator/run_state.h"

namespace surety::runtime {

struct ResultFile {
  std::string_view name;  // In the run folder.
  std::string bytes;
};

// model.safetensors; of a linear model also model.liblinear. `model`: the certified checkpoint's.
// InvalidInput where the job's model cannot be made for the journal's data.
[[nodiscard]] Result<std::vector<ResultFile>> result_files(const learn::Model& model,
                                                           const orchestrator::Job& job,
                                                           const orchestrator::RunState& state);

}  // namespace surety::runtime
