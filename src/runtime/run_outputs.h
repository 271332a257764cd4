// What a run leaves in its folder besides the journal: all of it made from the run's state, so it
// can be made again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "orchestrator/job_machine.h"
#include "plan/files/made_for.h"

namespace surety::runtime {

// job.yaml, profile/, plan.json, metrics.csv: what there is so far; each file is written when its
// content has changed since the last call.
class RunOutputs {
 public:
  // `made_for`: the job, for profile/ and plan.json.
  RunOutputs(std::filesystem::path folder, plan::MadeFor made_for)
      : folder_(std::move(folder)), made_for_(std::move(made_for)) {}
  [[nodiscard]] Result<void> update(const orchestrator::RunState& state);

  // certificate.json, report.html, model.safetensors; of a linear model also model.liblinear. On
  // the disk when it returns. Removes folders of checkpoints that no record of an ended run knows.
  [[nodiscard]] Result<void> finish(const orchestrator::RunState& state,
                                    const orchestrator::JobConfig& config);

 private:
  [[nodiscard]] Result<void> write(const std::string& name, std::string_view text);
  [[nodiscard]] Result<void> write_model(const orchestrator::RunState& state,
                                         const orchestrator::JobConfig& config);
  void sweep_checkpoints(const orchestrator::RunState& state) const;
  [[nodiscard]] Result<void> sync(std::initializer_list<std::string_view> names) const;
  std::filesystem::path folder_;
  plan::MadeFor made_for_;
  std::size_t measurements_ = 0, profile_runs_ = 0;  // Written so far.
  bool plan_written_ = false, job_written_ = false;
};

}  // namespace surety::runtime
