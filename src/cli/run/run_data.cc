#include "cli/run/run_data.h"

#include <vector>

#include "orchestrator/history/data_identity.h"

namespace surety::cli {
namespace {

// The data of today, in the order in which the journal names them.
std::vector<data::SourceInfo> data_now(const orchestrator::JobConfig& config) {
  std::vector<data::SourceInfo> now = config.sources;
  if (config.validation) now.push_back(*config.validation);
  return now;
}

}  // namespace

Result<void> check_run_data(const orchestrator::RunState& state,
                            const orchestrator::JobConfig& config) {
  return orchestrator::check_same_data(state.beginning.sources, data_now(config));
}

Result<void> check_data_again(const orchestrator::RunState& state,
                              const orchestrator::JobConfig& config) {
  const std::vector<data::SourceInfo> now = data_now(config);
  const auto difference = orchestrator::data_difference(state.beginning.sources, now);
  if (!difference) return {};
  return fail(ErrorCode::kInvalidInput,
              "{} has changed since the run began: found {}. If you restore the data, `surety "
              "verify` can measure again",
              data::place_of(now[difference->index]), difference->found);
}

}  // namespace surety::cli
