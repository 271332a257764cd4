#include "cli/run/model_evaluator.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/posix/cpu.h"
#include "data/posix/open.h"
#include "data/split.h"
#include "learn/model_checksum.h"
#include "orchestrator/history/metric.h"
#include "orchestrator/history/run_folder.h"
#include "protocol/learning.h"
#include "runtime/files/model_files.h"

namespace surety::cli {
namespace {

using namespace orchestrator;

// A file of a checkpoint has this many bytes beside its values, at most.
constexpr std::uint64_t kHeaderBytesMax = 1 << 20;
// The parameters, the parent, the velocity and the average (runtime/files/model_files.h).
constexpr std::uint64_t kTensorsMax = 4;
// A group of samples has at least this many values, and at least as many as the model has features,
// because the work for each group grows with the features.
constexpr std::uint64_t kGroupValues = 4 << 20;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool are_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

Result<ModelMeasurement> ModelEvaluator::measure(const learn::TaskFactory& factory) {
  learn::TaskOptions options = protocol::from_proto(spec_.task);
  options.threads = static_cast<std::uint32_t>(posix::usable_cores());
  SURETY_TRY(task_, factory(options));
  const plan::Metric metric = config_.job.promise.metric;
  const auto found = [&]() -> Result<learn::Evaluation> {
    SURETY_TRY(load_model());
    return metric == plan::Metric::kDualityGap ? on_training() : on_validation();
  }();
  if (worthless_) {
    return ModelMeasurement{{kNotANumber, kNotANumber, samples(), std::nullopt}, *worthless_};
  }
  if (!found) return tl::unexpected(found.error());
  if (found->samples == 0) return fail(ErrorCode::kInvalidInput, "there are no samples to measure");
  const MetricValue value = metric_of(metric, protocol::to_proto(*found));
  return ModelMeasurement{{value.value, value.se, found->samples, value.objective}, std::nullopt};
}

// ---- the files of the checkpoint ----------------------------------------------------------------

Result<void> ModelEvaluator::load_model() {
  const std::string path =
      (std::filesystem::path(checkpoint_.folder()) / run_folder::kModel).string();
  const auto file = std::ranges::find(checkpoint_.files(), path, &proto::SavedFile::path);
  if (file == checkpoint_.files().end()) {
    return end_without_value("the workers have saved no file " + path);
  }
  const std::uint64_t parameters = task_->initial_model().parameters.size();
  if (file->bytes() > kTensorsMax * sizeof(float) * parameters + kHeaderBytesMax) {
    return end_without_value(path + " is larger than a model of this job");
  }
  SURETY_TRY(const std::string bytes, runtime::read_saved_file(*file));
  Result<learn::Model> model = runtime::parse_model(path, bytes);
  if (!model) return end_without_value(model.error().message);
  model_ = std::move(*model);
  if (learn::model_checksum(model_) != checkpoint_.model_checksum()) {
    return end_without_value(path + " has another model than the workers measured");
  }
  // Without samples, the task only checks the model.
  if (const auto checked = task_->evaluate({}, {}, model_); !checked) {
    return end_without_value(checked.error().message);
  }
  // The loss of a model that has diverged need not show it.
  if (!are_finite(model_.parameters) || !are_finite(model_.parent) || !are_finite(model_.average)) {
    return end_without_value("some parameters of the model are not finite numbers");
  }
  return {};
}

Result<void> ModelEvaluator::load_duals() {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const data::ChunkRange& range : config_.chunks) counts[range.id.value] = range.count;
  std::vector<ChunkId> wanted;
  for (const data::ChunkRange& range : spec_.chunks) {
    wanted.push_back(range.id);
    firsts_[range.id] = range.first;
  }
  for (const proto::SavedFile& file : checkpoint_.files()) {
    if (file.chunks().empty()) continue;
    std::uint64_t values = 0;
    for (const std::uint32_t chunk : file.chunks()) values += counts[chunk];
    if (file.bytes() > sizeof(float) * values + kHeaderBytesMax) {
      return end_without_value(file.path() + " has more than one dual variable for each sample");
    }
    SURETY_TRY(const std::string bytes, runtime::read_saved_file(file));
    auto states = runtime::parse_chunk_states(file.path(), bytes, wanted);
    if (!states) return end_without_value(states.error().message);
    for (auto& [id, state] : *states) {
      if (state.size() != counts[id.value]) {
        return end_without_value(fmt::format("{}: chunk {} has {} dual variables, expected {}",
                                             file.path(), id, state.size(), counts[id.value]));
      }
      duals_[id] = std::move(state);
    }
  }
  return {};
}

// ---- metrics ------------------------------------------------------------------------------------

Result<learn::Evaluation> ModelEvaluator::on_validation() {
  learn::Evaluation total;
  const auto add = [&](const data::Chunk& part) -> Result<void> {
    const std::vector<std::uint32_t> selected = data::indices_of(
        data::Split::kCertify, part.range.first, part.range.count, config_.job.train.seed);
    SURETY_TRY(const learn::Evaluation terms, task_->evaluate(part.samples, selected, model_));
    total.add(terms);
    return {};
  };
  SURETY_TRY(visit(config_.validation_chunks, add));
  return total;
}

// Only the dual variables come from the workers, not their sums over the samples.
Result<learn::Evaluation> ModelEvaluator::on_training() {
  SURETY_TRY(load_duals());
  std::vector<double> sums(model_.parameters.size(), 0.0);
  SURETY_TRY(visit_training([&](const Group& group) { return task_->add_dual_sums(group, sums); }));
  learn::Evaluation total;
  const auto add = [&](const Group& group) -> Result<void> {
    const Result<learn::Evaluation> terms = task_->duality_terms(model_, sums, group);
    if (!terms && terms.error().code == ErrorCode::kCorrupt) {
      return end_without_value("the loss does not allow the values of some dual variables");
    }
    if (!terms) return tl::unexpected(terms.error());
    total.add(*terms);
    total.penalty = terms->penalty;
    total.penalty_gap = terms->penalty_gap;
    return {};
  };
  SURETY_TRY(visit_training(add));
  return total;
}

// ---- samples ------------------------------------------------------------------------------------

Result<void> ModelEvaluator::visit(const std::vector<data::ChunkRange>& ranges,
                                   const std::function<Result<void>(data::Chunk part)>& add) {
  std::vector<data::SourceInfo> sources = config_.sources;
  if (config_.validation) sources.push_back(*config_.validation);
  return data::visit_chunks(sources, ranges, data::local_files(),
                            [&](data::Chunk part) -> Result<void> {
                              SURETY_TRY(task_->check(part.samples, part.range.first));
                              return add(std::move(part));
                            });
}

Result<void> ModelEvaluator::visit_training(const std::function<Result<void>(const Group&)>& add) {
  const std::uint64_t values_min = std::max<std::uint64_t>(kGroupValues, model_.parameters.size());
  Group group;
  std::uint64_t values = 0;
  const auto take = [&](data::Chunk part) -> Result<void> {
    if (const auto duals = duals_.find(part.range.id); duals != duals_.end()) {
      const std::uint64_t begin = part.range.first - firsts_.at(part.range.id);
      const auto first = duals->second.begin() + static_cast<std::ptrdiff_t>(begin);
      part.state.assign(first, first + part.range.count);
    }
    values += part.samples.u8.size() + part.samples.f32.size();
    // A chunk may have several parts, so they get numbers of their own.
    group.emplace(ChunkId{static_cast<std::uint32_t>(group.size())}, std::move(part));
    if (values < values_min) return {};
    SURETY_TRY(add(group));
    group.clear();
    values = 0;
    return {};
  };
  SURETY_TRY(visit(spec_.chunks, take));
  return group.empty() ? Result<void>() : add(group);
}

std::uint64_t ModelEvaluator::samples() const {
  std::uint64_t samples = 0;
  if (config_.job.promise.metric == plan::Metric::kDualityGap) {
    for (const data::ChunkRange& range : spec_.chunks) samples += range.count;
    return samples;
  }
  for (const data::ChunkRange& range : config_.validation_chunks) {
    samples +=
        data::samples_of(data::Split::kCertify, range.first, range.count, config_.job.train.seed);
  }
  return samples;
}

tl::unexpected<Error> ModelEvaluator::end_without_value(std::string why) {
  worthless_ = std::move(why);
  return fail(ErrorCode::kInvalidInput, "{}", *worthless_);
}

}  // namespace surety::cli
