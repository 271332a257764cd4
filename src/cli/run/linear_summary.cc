#include "cli/run/linear_summary.h"

#include <algorithm>

#include "base/posix/file.h"
#include "data/posix/open.h"
#include "data/url.h"
#include "learn/linear/model/linear_model_file.h"
#include "learn/task.h"
#include "model/zoo.h"
#include "orchestrator/history/attempt_number.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/job/predict.h"

namespace surety::cli {
namespace {

using namespace orchestrator;

// The pass whose model is the certified checkpoint.
const proto::PassDone* certified_pass(const RunState& state) {
  const std::string& folder = state.record.certified->checkpoint;
  const auto is_it = [&](const auto& checkpoint) {
    return is_same_checkpoint(checkpoint.folder(), folder);
  };
  const auto found = std::find_if(state.checkpoints.begin(), state.checkpoints.end(), is_it);
  std::uint32_t number = 0;
  if (found != state.checkpoints.end()) number = found->pass();
  if (state.best_checkpoint && is_it(*state.best_checkpoint))
    number = state.best_checkpoint->pass();
  const std::optional<std::uint32_t> attempt = state.record.certified->attempt;
  const auto pass = std::find_if(state.passes.begin(), state.passes.end(), [&](const auto& one) {
    return one.done.pass() == number && orchestrator::attempt_of(one.done) == attempt;
  });
  return pass == state.passes.end() ? nullptr : &pass->done;
}

// Examples are "13" and "178 of the kept attempt, 1578 in all".
std::string passes_text(const RunState& state) {
  const std::optional<std::uint32_t> attempt = state.record.certified->attempt;
  const auto own = std::ranges::count_if(state.passes, [&](const RecordedPass& pass) {
    return orchestrator::attempt_of(pass.done) == attempt;
  });
  const std::size_t all = state.passes.size();
  if (static_cast<std::size_t>(own) == all) return std::to_string(all);
  return fmt::format("{} of the kept attempt, {} in all", own, all);
}

double median_pass_s(const RunState& state) {
  std::vector<double> seconds;
  for (const RecordedPass& pass : state.passes) seconds.push_back(pass.done.seconds());
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

Result<learn::LinearModel> read_model(const std::filesystem::path& file) {
  SURETY_TRY(const std::string bytes, posix::read_file(file));
  return learn::read_linear_model(file.string(), bytes);
}

// The text is, for example, "123 of 20000 are not zero".
std::string weights_text(const learn::LinearModel& model) {
  const std::vector<double>& weights = model.columns.front().weights;
  return fmt::format("{} of {} are not zero",
                     std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; }),
                     weights.size());
}

// The text is, for example, "validation accuracy 0.9312 (3725 of 4000)".
Result<std::string> validation_text(const JobConfig& config, learn::LinearModel model) {
  SURETY_TRY(const auto url, data::parse_url(config.validation->url));
  const bool classifies = model.classifies();
  // The run has matched the features by their place. So a column may have another name here.
  model.feature_names.clear();
  const auto predictor = learn::make_linear_predictor(std::move(model));
  SURETY_TRY(
      const auto predicted,
      runtime::predict_source(*predictor, url, data::Labels::kNeeded, runtime::Scores::kNone,
                              data::local_files(), [](const auto&) { return Result<void>(); }));
  return score_text(classifies, *predicted.score);
}

}  // namespace

std::optional<std::string> loss_remark(const job::Job& job) {
  const bool is_loss = job.promise.metric == plan::Metric::kValidationLoss;
  if (!is_loss || !model::is_regression(job.model.zoo)) return std::nullopt;
  return fmt::format(
      "the validation loss of {}, which the job promises, is half the squared error: the mean over "
      "the validation samples",
      job.model.zoo);
}

std::string score_text(bool classifies, const learn::PredictionScore& sums) {
  const auto samples = static_cast<double>(sums.samples);
  if (!classifies) {
    const double error = sums.square_error_sum / samples;
    return fmt::format("mean squared error {:.6g}; loss {:.6g}, which is half of it ({} samples)",
                       error, error / 2, sums.samples);
  }
  return fmt::format("accuracy {:.4f} ({} of {})", static_cast<double>(sums.correct) / samples,
                     sums.correct, sums.samples);
}

std::string linear_summary(const RunState& state, const JobConfig& config,
                           const std::filesystem::path& run) {
  if (!model::is_linear(config.job.model.zoo) || !state.record.certified) return "";
  std::string text;
  const proto::PassDone* pass = certified_pass(state);
  if (pass != nullptr && config.job.promise.metric == plan::Metric::kDualityGap) {
    if (pass->has_objective()) text += fmt::format("objective:   {:.9g}, ", pass->objective());
    text += fmt::format("duality gap {:.3g}\n", pass->metric());
    if (pass->has_accuracy())
      text += fmt::format("training:    accuracy {:.4f}\n", pass->accuracy());
  }
  const auto model = read_model(run / run_folder::kModel);
  if (model && config.job.train.l1_ratio > 0) {
    text += fmt::format("weights:     {}\n", weights_text(*model));
  }
  if (model && config.validation) {
    const auto validation = validation_text(config, *model);
    if (validation) text += fmt::format("validation:  {}\n", *validation);
  }
  if (!state.passes.empty()) {
    text += fmt::format("passes:      {}, {:.3g}s each (median)\n", passes_text(state),
                        median_pass_s(state));
  }
  text += fmt::format("model:       {}", (run / run_folder::kModel).string());
  if (std::filesystem::exists(run / run_folder::kLiblinearModel)) {
    text += fmt::format(" and, for LIBLINEAR, {}", (run / run_folder::kLiblinearModel).string());
  }
  return text + "\n";
}

}  // namespace surety::cli
