#include "cli/run/run_setup.h"

#include "base/posix/clock.h"
#include "cli/output.h"
#include "job/job.h"
#include "model/zoo.h"
#include "orchestrator/history/continuation.h"
#include "runtime/job/job_setup.h"

namespace surety::cli {

using namespace job;

bool runs_in_process(const Job& job) {
  return model::is_linear(job.model.zoo) && job.cluster.one_worker() && !job.coordinator.standby;
}

// Large data sets take minutes to read, and nothing else is printed until they are read.
runtime::DataWatch progress_of_reading(const RunOptions& options) {
  if (options.quiet || options.json) return {};
  static constexpr Duration kSilence = std::chrono::seconds(4);
  const Time began = posix::now();
  return [began, last_printed = began](const std::string& data_set, std::uint64_t samples) mutable {
    const Time now = posix::now();
    if (now - last_printed < kSilence) return;
    last_printed = now;
    print_message(fmt::format("{:>7.1f}s  reading data set {}: {} samples so far\n",
                              to_seconds(now - began), data_set, samples));
  };
}

Result<void> find_allocation(Job& job, PreparedRun& run) {
  if (!job.cluster.slurm) return {};
  SURETY_TRY(run.slurm, runtime::slurm_job());
  return runtime::fit_to_allocation(*run.slurm, job);
}

runtime::JournalKey journal_key(const proto::RunBegan& began, record::Signer signer) {
  return {orchestrator::record_origin(began.run(), began.started_unix_s()), std::move(signer)};
}

}  // namespace surety::cli
