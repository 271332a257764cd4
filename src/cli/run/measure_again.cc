#include "cli/run/measure_again.h"

#include <utility>

#include "cli/output.h"
#include "cli/run/run_data.h"
#include "learn/model_checksum.h"
#include "model/zoo.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/job/phase.h"
#include "orchestrator/stages/pass_record.h"
#include "orchestrator/stages/session_of_job.h"
#include "runtime/files/model_files.h"
#include "runtime/job/job_setup.h"

namespace surety::cli {

using namespace orchestrator;

std::filesystem::path measuring_program(const job::Job& job) {
  return sibling_program(model::is_linear(job.model.zoo) ? "surety" : "surety-worker");
}

Result<proto::CheckpointCommitted> certified_checkpoint(const std::filesystem::path& folder,
                                                        const ReadRun& run) {
  const std::string& certified = run.state.record.certified->checkpoint;
  const proto::CheckpointCommitted* committed = committed_at(run.records, certified);
  if (committed == nullptr) {
    return fail(ErrorCode::kCorrupt, "the journal has no checkpoint {}", certified);
  }
  proto::JournalRecord here;
  *here.mutable_checkpoint_committed() = *committed;
  locate_checkpoints(here, (std::filesystem::absolute(folder) / run_folder::kCheckpoints).string());
  return here.checkpoint_committed();
}

Result<learn::Model> certified_model(const proto::CheckpointCommitted& checkpoint) {
  const std::string path =
      (std::filesystem::path(checkpoint.folder()) / run_folder::kModel).string();
  for (const proto::SavedFile& file : checkpoint.files()) {
    if (file.path() != path) continue;
    SURETY_TRY(const std::string bytes, runtime::read_saved_file(file));
    SURETY_TRY(learn::Model model, runtime::parse_model(path, bytes));
    const std::uint64_t found = learn::model_checksum(model);
    if (found == checkpoint.model_checksum()) return model;
    return fail(ErrorCode::kCorrupt, "{}: found a model with checksum {:016x}, expected {:016x}",
                path, found, checkpoint.model_checksum());
  }
  return fail(ErrorCode::kCorrupt,
              "the journal does not list {}: the journal was damaged or changed", path);
}

Result<ModelMeasurement> measure_again(const std::filesystem::path& folder, const ReadRun& run,
                                       const learn::TaskFactory& factory) {
  SURETY_TRY(const JobConfig config,
             runtime::set_up(run.job, run.records.front().run_began().chunks_for_workers()));
  // Only files of the checkpoint may be Corrupt here.
  const auto unavailable = [](const Error& error) {
    return fail(ErrorCode::kUnavailable, "{}", error.message);
  };
  if (const auto same = check_data_again(run.state, config); !same) {
    return unavailable(same.error());
  }
  const auto checkpoint = certified_checkpoint(folder, run);
  if (!checkpoint) return unavailable(checkpoint.error());
  const SessionSpec spec =
      session_spec(stage_context(config, {}), chunks_of_plan(config, run.state),
                   config.job.train.seed, point_of(*checkpoint));
  return ModelEvaluator(config, spec, *checkpoint).measure(factory);
}

}  // namespace surety::cli
