#include "cli/run/mode_checks.h"

#include <optional>

#include "job/job_check.h"
#include "orchestrator/stages/pool_setup.h"

namespace surety::cli {

using orchestrator::RunMode;

Result<void> check_mode(std::string_view job_file, const job::Job& job, RunMode mode) {
  if (mode == RunMode::kRun && !has_pool(job)) SURETY_TRY(check_seeds(job_file, job));
  SURETY_TRY(check_rate(job_file, job, mode == RunMode::kRun));
  if (mode == RunMode::kTrain) return {};
  return check_profile_workers(job_file, job);
}

Result<void> check_memory(std::string_view job_file, const orchestrator::JobConfig& config) {
  if (config.mode != RunMode::kRun || !has_pool(config.job)) return {};
  if (!orchestrator::pool_setup(config.job, config.schema, 1, std::nullopt).spec.variants.empty())
    return {};
  return fail(
      ErrorCode::kInvalidInput,
      "{}: cluster.nodes: found no type with enough memory for any version of {}, expected at "
      "least one: raise its memory, or add a smaller version to model.versions",
      job_file, config.job.model.zoo);
}

}  // namespace surety::cli
