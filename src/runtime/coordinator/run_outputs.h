// The files that a run leaves in its folder besides the journal. All are made from the run's state,
// so they can be made again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "certificate/certificate.h"
#include "orchestrator/job/job_machine.h"
#include "plan/files/made_for.h"
#include "runtime/files/signed_results.h"

namespace surety::runtime {

// The content of metrics.csv: one line for each evaluation.
[[nodiscard]] std::string metrics_csv(const certificate::RunRecord& record);

// Writes job.yaml, profile/, plan.json and metrics.csv as far as they exist. Each file is written
// if its content has changed since the last call.
class RunOutputs {
 public:
  // `made_for` is the part of the job that profile/ and plan.json were made for.
  RunOutputs(std::filesystem::path folder, plan::MadeFor made_for)
      : folder_(std::move(folder)), made_for_(std::move(made_for)) {}
  // Errors: those of posix::replace_file().
  [[nodiscard]] Result<void> update(const orchestrator::RunState& state);

  // Writes certificate.json, report.html and model.safetensors, and for a linear model also
  // model.liblinear. They are durable when it returns. Removes checkpoint folders that the records
  // of the ended run do not name. Errors: those of update(), posix::sync_file(), load_model() and
  // result_files(), and Corrupt if the model is not the certified one.
  [[nodiscard]] Result<void> finish(const orchestrator::RunState& state,
                                    const orchestrator::JobConfig& config);
  // The digests of those of these files that finish() has written. A model that was kept because
  // its checkpoint is gone is not among them.
  [[nodiscard]] const FileDigests& results() const { return results_; }

 private:
  [[nodiscard]] Result<void> write(const std::string& name, std::string_view text);
  // The same for one of the files that are signed.
  [[nodiscard]] Result<void> write_result(const std::string& name, std::string_view text);
  [[nodiscard]] Result<void> write_model(const orchestrator::RunState& state,
                                         const orchestrator::JobConfig& config);
  void sweep_checkpoints(const orchestrator::RunState& state) const;
  [[nodiscard]] Result<void> sync_results() const;
  std::filesystem::path folder_;
  plan::MadeFor made_for_;
  std::size_t measurements_ = 0;  // Number of entries written so far.
  std::size_t profile_runs_ = 0;  // Number of entries written so far.
  bool plan_written_ = false;
  bool job_written_ = false;
  FileDigests results_{};
};

}  // namespace surety::runtime
