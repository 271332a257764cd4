#include "cli/run/run_data.h"

#include <vector>

#include "orchestrator/history/data_identity.h"

namespace surety::cli {

Result<void> check_run_data(const orchestrator::RunState& state,
                            const orchestrator::JobConfig& config) {
  if (state.beginning.sources.empty()) return {};
  std::vector<data::SourceInfo> now = config.sources;
  if (config.validation) now.push_back(*config.validation);
  if (now.size() != state.beginning.sources.size()) {
    return fail(ErrorCode::kCorrupt, "the journal has {} data sets, and its job has {}",
                state.beginning.sources.size(), now.size());
  }
  return orchestrator::check_same_data(state.beginning.sources, now);
}

}  // namespace surety::cli
