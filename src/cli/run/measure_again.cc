#include "cli/run/measure_again.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory_resource>
#include <utility>

#include "base/posix/cpu.h"
#include "cli/output.h"
#include "cli/run/run_data.h"
#include "data/posix/open.h"
#include "data/split.h"
#include "model/zoo.h"
#include "orchestrator/history/metric.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/job/phase.h"
#include "orchestrator/stages/pass_record.h"
#include "orchestrator/stages/stages.h"
#include "protocol/messages.h"
#include "runtime/coordinator/job_setup.h"
#include "runtime/model_files.h"
#include "runtime/worker/worker_files.h"
#include "worker/operations/evaluation.h"
#include "worker/state/model_values.h"
#include "worker/state/task_options.h"

namespace surety::cli {
namespace {

using namespace orchestrator;

class Evaluator {
 public:
  Evaluator(const JobConfig& config, const SessionSpec& spec)
      : config_(config),
        spec_(spec),
        files_(data::local_files(), std::pmr::get_default_resource()) {
    proto::Welcome welcome;
    for (const data::SourceInfo& source : config.sources) {
      *welcome.add_sources() = protocol::to_proto(source);
    }
    if (config.validation) *welcome.mutable_validation() = protocol::to_proto(*config.validation);
    files_.use_sources(welcome);
  }

  Result<void> begin(const learn::TaskFactory& factory, learn::Model model) {
    model_ = std::move(model);
    learn::TaskOptions options = worker::task_options(spec_.task);
    options.threads = static_cast<std::uint32_t>(posix::usable_cores());
    SURETY_TRY(task_, factory(options));
    return {};
  }

  // The loss and the correct answers on the half that certifies.
  Result<learn::Evaluation> on_validation() {
    learn::Evaluation total;
    for (const data::ChunkRange& range : config_.validation_chunks) {
      SURETY_TRY(const data::Chunk chunk, read(range));
      const std::vector<std::uint32_t> selected = worker::samples_of_split(
          range, static_cast<std::uint32_t>(data::Split::kCertify), config_.job.train.seed);
      SURETY_TRY(const learn::Evaluation part, task_->evaluate(chunk.samples, selected, model_));
      total.add(part);
    }
    return total;
  }

  // The duality gap needs all samples, with their dual variables.
  Result<learn::Evaluation> on_training() {
    std::map<ChunkId, data::Chunk> chunks;
    for (const data::ChunkRange& range : spec_.chunks) {
      SURETY_TRY(data::Chunk chunk, read(range));
      if (const auto file = spec_.state_files.find(range.id.value);
          file != spec_.state_files.end()) {
        SURETY_TRY(worker::ChunkStates states,
                   files_.load_states(file->second.path, file->second.checksum, {range.id}));
        chunk.state = std::move(states[range.id]);
      }
      chunks.emplace(range.id, std::move(chunk));
    }
    return task_->duality_terms(model_, chunks);
  }

 private:
  Result<data::Chunk> read(const data::ChunkRange& range) {
    SURETY_TRY(std::vector<data::Chunk> chunks, files_.read_chunks({range}));
    SURETY_TRY(task_->check(chunks.front().samples, range.first));
    return std::move(chunks.front());
  }

  const JobConfig& config_;
  const SessionSpec& spec_;
  runtime::WorkerFiles files_;
  std::unique_ptr<learn::Task> task_;
  learn::Model model_;
};

}  // namespace

std::filesystem::path measuring_program(const job::Job& job) {
  return sibling_program(model::is_linear(job.model.zoo) ? "surety" : "surety-worker");
}

Result<proto::CheckpointCommitted> certified_checkpoint(const std::filesystem::path& folder,
                                                        const ReadRun& run) {
  // The run may have been moved between the two records.
  const std::string checkpoints =
      (std::filesystem::absolute(folder) / run_folder::kCheckpoints).string();
  const std::string certified =
      relocated_checkpoint(run.state.record.certified->checkpoint, checkpoints);
  for (auto record = run.records.rbegin(); record != run.records.rend(); ++record) {
    if (!record->has_checkpoint_committed()) continue;
    proto::JournalRecord here = *record;
    locate_checkpoints(here, checkpoints);
    if (here.checkpoint_committed().folder() == certified) return here.checkpoint_committed();
  }
  return fail(ErrorCode::kCorrupt, "the journal has no checkpoint {}", certified);
}

Result<learn::Model> certified_model(const proto::CheckpointCommitted& checkpoint) {
  const std::string path =
      (std::filesystem::path(checkpoint.folder()) / run_folder::kModel).string();
  for (const proto::SavedFile& file : checkpoint.files()) {
    if (file.path() != path) continue;
    SURETY_TRY(const std::string bytes, runtime::read_saved_file(file));
    SURETY_TRY(learn::Model model, runtime::parse_model(path, bytes));
    const std::uint64_t found = worker::model_checksum(model);
    if (found == checkpoint.model_checksum()) return model;
    return fail(ErrorCode::kCorrupt, "{}: found a model with checksum {:016x}, expected {:016x}",
                path, found, checkpoint.model_checksum());
  }
  return fail(ErrorCode::kCorrupt,
              "the journal does not list {}: the journal was damaged or changed", path);
}

Result<certificate::MetricValues> measure_again(const std::filesystem::path& folder,
                                                const ReadRun& run,
                                                const learn::TaskFactory& factory) {
  const std::uint32_t cut_for = run.records.front().run_began().cut_for();
  SURETY_TRY(const JobConfig config,
             runtime::set_up(run.job, cut_for > 0 ? std::optional(cut_for) : std::nullopt));
  SURETY_TRY(check_data_again(run.state, config));
  SURETY_TRY(const proto::CheckpointCommitted checkpoint, certified_checkpoint(folder, run));
  const SessionSpec spec =
      session_spec(stage_context(config, {}), training_chunks(config, run.state),
                   config.job.train.seed, point_of(checkpoint));
  if (!spec.saved) return fail(ErrorCode::kCorrupt, "the certified checkpoint names no model");
  Evaluator evaluator(config, spec);
  SURETY_TRY(learn::Model model, certified_model(checkpoint));
  // The loss of a model that has diverged need not show it.
  const bool is_number =
      std::ranges::all_of(model.parameters, [](float p) { return std::isfinite(p); });
  SURETY_TRY(evaluator.begin(factory, std::move(model)));
  const plan::Metric metric = config.job.promise.metric;
  SURETY_TRY(const learn::Evaluation found, metric == plan::Metric::kDualityGap
                                                ? evaluator.on_training()
                                                : evaluator.on_validation());
  if (found.samples == 0) return fail(ErrorCode::kInvalidInput, "there are no samples to measure");
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  if (!is_number) return certificate::MetricValues{kNotANumber, kNotANumber, found.samples};
  const MetricValue value = metric_of(metric, worker::to_proto(found));
  return certificate::MetricValues{value.value, value.se, found.samples};
}

}  // namespace surety::cli
