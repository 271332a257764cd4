#include "runtime/coordinator/run_outputs.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/posix/file.h"
#include "certificate/certificate_json.h"
#include "certificate/report.h"
#include "learn/model_checksum.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/history/spending.h"
#include "orchestrator/job/checkpoint_folders.h"
#include "plan/files/made_for_json.h"
#include "plan/files/plan_io.h"
#include "plan/files/profile_io.h"
#include "runtime/coordinator/result_files.h"
#include "runtime/files/model_files.h"

namespace surety::runtime {

using namespace certificate;
using namespace orchestrator;

std::string metrics_csv(const RunRecord& record) {
  std::string text = "seconds,pass,version,metric,metric_se,cost,workers,attempt\n";
  for (const Measurement& m : record.measurements) {
    text += fmt::format("{:.3f},{},{},{:.9g},{:.6g},{:.6g},{},{}\n", m.seconds, m.pass, m.version,
                        m.metric, m.metric_se, m.cost, m.workers,
                        m.attempt ? std::to_string(*m.attempt) : "null");
  }
  return text;
}

Result<void> RunOutputs::write(const std::string& name, std::string_view text) {
  return posix::replace_file(folder_ / name, text);
}

Result<void> RunOutputs::write_result(const std::string& name, std::string_view text) {
  SURETY_TRY(write(name, text));
  results_[name] = crypto::sha256(std::as_bytes(std::span(text)));
  return {};
}

Result<void> RunOutputs::update(const RunState& state) {
  if (!job_written_) {
    SURETY_TRY(write(std::string(run_folder::kJob), state.beginning.job_text));
    job_written_ = true;
  }
  if (state.profile_runs.done.size() > profile_runs_) {
    std::error_code error;
    std::filesystem::create_directories(folder_ / run_folder::kProfile, error);
    SURETY_TRY(write(fmt::format("{}/{}", run_folder::kProfile, plan::kMadeForFile),
                     plan::to_json(made_for_)));
    for (const auto& [name, text] : plan::to_files(state.profile_runs.finished)) {
      SURETY_TRY(write(fmt::format("{}/{}", run_folder::kProfile, name), text));
    }
    profile_runs_ = state.profile_runs.done.size();
  }
  const RunRecord& record = state.record;
  if (!plan_written_ && (record.plan || record.infeasible)) {
    const plan::Decision decision =
        record.plan ? plan::Decision(*record.plan) : plan::Decision(*record.infeasible);
    SURETY_TRY(
        write(std::string(run_folder::kPlan), plan::to_json(plan::PlanFile{made_for_, decision})));
    plan_written_ = true;
  }
  if (record.measurements.size() != measurements_) {
    SURETY_TRY(write(std::string(run_folder::kMetrics), metrics_csv(record)));
    measurements_ = record.measurements.size();
  }
  return {};
}

Result<void> RunOutputs::finish(const RunState& state, const JobConfig& config) {
  SURETY_TRY(update(state));
  SURETY_TRY(
      write_result(std::string(run_folder::kReport), report_html(state.record, spending(state))));
  if (state.record.certified) SURETY_TRY(write_model(state, config));
  if (state.end) sweep_checkpoints(state);
  // Written last: if this file exists, the others exist too.
  SURETY_TRY(write_result(std::string(run_folder::kCertificate), to_json(state.record)));
  return sync_results();
}

// Waits for the disk once, not once for each file.
Result<void> RunOutputs::sync_results() const {
  std::vector<std::future<Result<void>>> synced;
  for (const std::string_view name : run_folder::kResults) {
    const std::filesystem::path path = folder_ / name;
    if (!std::filesystem::exists(path)) continue;
    synced.push_back(std::async(std::launch::async, [path] { return posix::sync_file(path); }));
  }
  Result<void> all = posix::sync_file(folder_);
  for (auto& one : synced) {
    if (Result<void> result = one.get(); !result) all = std::move(result);
  }
  return all;
}

// After the end of the run, no worker writes any more.
void RunOutputs::sweep_checkpoints(const RunState& state) const {
  namespace fs = std::filesystem;
  const fs::path checkpoints = folder_ / run_folder::kCheckpoints;
  std::error_code ignored;                           // Files that cannot be removed do no harm.
  if (fs::is_symlink(checkpoints, ignored)) return;  // Its target may also belong to others.
  std::vector<std::string> found;
  fs::recursive_directory_iterator at(checkpoints, ignored);
  for (const fs::recursive_directory_iterator end; at != end; at.increment(ignored)) {
    if (at->is_symlink(ignored) || !at->is_directory(ignored)) continue;
    found.push_back(at->path().lexically_relative(checkpoints).generic_string());
  }
  std::set<std::string> named = kept_checkpoints(state);
  if (state.record.certified) named.insert(state.record.certified->checkpoint);
  std::set<std::string> kept;
  for (const std::string& folder : named) {
    const fs::path here = relocated_checkpoint(folder, checkpoints.string());
    kept.insert(here.lexically_relative(checkpoints).generic_string());
  }
  for (const std::string& folder : CheckpointFolders::left_over(found, kept)) {
    fs::remove_all(checkpoints / folder, ignored);
    // Removes the coordinator's own folder if it is empty now.
    const fs::path around = (checkpoints / folder).parent_path();
    if (around != checkpoints) fs::remove(around, ignored);
  }
}

Result<void> RunOutputs::write_model(const RunState& state, const JobConfig& config) {
  const std::filesystem::path checkpoint = relocated_checkpoint(
      state.record.certified->checkpoint, (folder_ / run_folder::kCheckpoints).string());
  // A model whose metric is not a number has diverged, or is none of the job.
  if (!std::isfinite(state.record.certified->metric)) return {};
  // The checkpoint may be deleted after the end. A resumed run then keeps the files that it has.
  std::error_code error;
  const bool has_model = std::filesystem::exists(folder_ / run_folder::kModel, error);
  if (has_model && !std::filesystem::exists(checkpoint, error) && !error) return {};
  SURETY_TRY(const learn::Model model, load_model(checkpoint / run_folder::kModel));
  const std::string found = fmt::format("{:016x}", learn::model_checksum(model));
  if (const std::string& certified = state.record.certified->model_checksum; found != certified) {
    return fail(ErrorCode::kCorrupt,
                "{}: found a model with checksum {}, expected the certified {}",
                checkpoint.string(), found, certified);
  }
  SURETY_TRY(const std::vector<ResultFile> files, result_files(model, config.job, state));
  for (const ResultFile& file : files) SURETY_TRY(write_result(std::string(file.name), file.bytes));
  return {};
}

}  // namespace surety::runtime
