#include "cli/run/measure_again.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
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
#include "runtime/coordinator/job_setup.h"
#include "runtime/model_files.h"
#include "worker/operations/evaluation.h"
#include "worker/state/model_values.h"
#include "worker/state/task_options.h"

namespace surety::cli {
namespace {

using namespace orchestrator;

using Ranges = std::vector<data::ChunkRange>;

// The dual variables of a checkpoint.
class Duals {
 public:
  // Corrupt: they do not fit the chunks. REQUIRES: `files` were read with read_files().
  static Result<Duals> of(const Ranges& ranges, const std::map<std::string, std::string>& files) {
    Duals duals;
    std::vector<ChunkId> wanted;
    for (const data::ChunkRange& range : ranges) {
      duals.ranges_[range.id] = range;
      wanted.push_back(range.id);
    }
    for (const auto& [path, bytes] : files) {
      SURETY_TRY(worker::ChunkStates states, runtime::parse_chunk_states(path, bytes, wanted));
      for (auto& [id, state] : states) {
        if (state.size() != duals.ranges_.at(id).count) {
          return fail(ErrorCode::kCorrupt, "{}: chunk {} has {} dual variables, expected {}", path,
                      id, state.size(), duals.ranges_.at(id).count);
        }
        duals.states_[id] = std::move(state);
      }
    }
    return duals;
  }

  // The files of the checkpoint with dual variables, by path. An error if they are not those that
  // were saved.
  static Result<std::map<std::string, std::string>> read_files(
      const proto::CheckpointCommitted& checkpoint) {
    std::map<std::string, std::string> files;
    for (const proto::SavedFile& file : checkpoint.files()) {
      if (file.chunks().empty()) continue;
      SURETY_TRY(files[file.path()], runtime::read_saved_file(file));
    }
    return files;
  }

  // The part with the dual variables of its samples. They are 0 if the checkpoint has none.
  [[nodiscard]] std::map<ChunkId, data::Chunk> with_state(data::Chunk part) const {
    if (const auto state = states_.find(part.range.id); state != states_.end()) {
      const std::uint64_t begin = part.range.first - ranges_.at(part.range.id).first;
      const auto first = state->second.begin() + static_cast<std::ptrdiff_t>(begin);
      part.state.assign(first, first + part.range.count);
    }
    std::map<ChunkId, data::Chunk> chunks;
    chunks.emplace(part.range.id, std::move(part));
    return chunks;
  }

 private:
  std::map<ChunkId, data::ChunkRange> ranges_;
  worker::ChunkStates states_;
};

// Reads the data in the order of the files, so that it needs the memory of one block of samples.
class Evaluator {
 public:
  Evaluator(const JobConfig& config, const SessionSpec& spec) : config_(config), spec_(spec) {}

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
    const auto add = [&](const data::Chunk& part) -> Result<void> {
      const std::vector<std::uint32_t> selected = worker::samples_of_split(
          part.range, static_cast<std::uint32_t>(data::Split::kCertify), config_.job.train.seed);
      SURETY_TRY(const learn::Evaluation terms, task_->evaluate(part.samples, selected, model_));
      total.add(terms);
      return {};
    };
    SURETY_TRY(visit(config_.validation_chunks, add));
    return total;
  }

  // The duality gap on all training samples. Only the dual variables come from the workers, not
  // their sums over the samples. The gap is infinite if no dual problem has these variables.
  Result<learn::Evaluation> on_training(const proto::CheckpointCommitted& checkpoint) {
    SURETY_TRY(const auto files, Duals::read_files(checkpoint));
    Result<learn::Evaluation> found = gap_of(files);
    if (found || found.error().code != ErrorCode::kCorrupt) return found;
    learn::Evaluation infinite;
    for (const data::ChunkRange& range : spec_.chunks) infinite.samples += range.count;
    infinite.gap_sum = std::numeric_limits<double>::infinity();
    return infinite;
  }

 private:
  Result<learn::Evaluation> gap_of(const std::map<std::string, std::string>& files) {
    SURETY_TRY(const Duals duals, Duals::of(spec_.chunks, files));
    SURETY_TRY(const std::vector<float> sums, sums_of(duals));
    learn::Evaluation total;
    const auto add = [&](const data::Chunk& part) -> Result<void> {
      SURETY_TRY(const learn::Evaluation terms,
                 task_->duality_terms(model_, sums, duals.with_state(part)));
      total.add(terms);
      total.penalty = terms.penalty;
      total.penalty_gap = terms.penalty_gap;
      return {};
    };
    SURETY_TRY(visit(spec_.chunks, add));
    return total;
  }

  Result<std::vector<float>> sums_of(const Duals& duals) {
    std::vector<double> sums(model_.parameters.size(), 0.0);
    std::vector<float> part(sums.size());
    const auto add = [&](const data::Chunk& chunk) -> Result<void> {
      SURETY_TRY(task_->partial_model(duals.with_state(chunk), part));
      for (std::size_t f = 0; f < sums.size(); ++f) sums[f] += part[f];
      return {};
    };
    SURETY_TRY(visit(spec_.chunks, add));
    return std::vector<float>(sums.begin(), sums.end());
  }

  // Passes the samples of these chunks to `add`, in parts. REQUIRES: `ranges` are in the order of
  // their sources.
  Result<void> visit(const Ranges& ranges,
                     const std::function<Result<void>(const data::Chunk& part)>& add) {
    const auto checked = [&](const data::Chunk& part) -> Result<void> {
      SURETY_TRY(task_->check(part.samples, part.range.first));
      return add(part);
    };
    for (auto first = ranges.begin(); first != ranges.end();) {
      const auto last = std::find_if(first, ranges.end(), [first](const data::ChunkRange& range) {
        return range.source != first->source;
      });
      const bool is_validation = first->source >= config_.sources.size();
      const data::SourceInfo& source =
          is_validation ? config_.validation.value() : config_.sources[first->source];
      SURETY_TRY(data::visit_chunks(source, {first, last}, data::local_files(), checked));
      first = last;
    }
    return {};
  }

  const JobConfig& config_;
  const SessionSpec& spec_;
  std::unique_ptr<learn::Task> task_;
  learn::Model model_;
};

}  // namespace

std::filesystem::path measuring_program(const job::Job& job) {
  return sibling_program(model::is_linear(job.model.zoo) ? "surety" : "surety-worker");
}

Result<proto::CheckpointCommitted> certified_checkpoint(const std::filesystem::path& folder,
                                                        const ReadRun& run) {
  const std::string checkpoints =
      (std::filesystem::absolute(folder) / run_folder::kCheckpoints).string();
  const std::string& certified = run.state.record.certified->checkpoint;
  for (auto record = run.records.rbegin(); record != run.records.rend(); ++record) {
    if (!record->has_checkpoint_committed()) continue;
    proto::JournalRecord here = *record;
    locate_checkpoints(here, checkpoints);
    if (is_same_checkpoint(here.checkpoint_committed().folder(), certified)) {
      return here.checkpoint_committed();
    }
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
  if (const auto same = check_data_again(run.state, config); !same) {
    return fail(ErrorCode::kInvalidInput, "{}", same.error().message);
  }
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
                                                ? evaluator.on_training(checkpoint)
                                                : evaluator.on_validation());
  if (found.samples == 0) return fail(ErrorCode::kInvalidInput, "there are no samples to measure");
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  if (!is_number) return certificate::MetricValues{kNotANumber, kNotANumber, found.samples};
  const MetricValue value = metric_of(metric, worker::to_proto(found));
  return certificate::MetricValues{value.value, value.se, found.samples};
}

}  // namespace surety::cli
