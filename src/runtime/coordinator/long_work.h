// Work of a coordinator that takes long, beside the thread that decides: a process that measures
// the certified model again, and a thread that makes a plan.
#pragma once

#include <filesystem>
#include <future>
#include <optional>

#include "base/result.h"
#include "orchestrator/ledger/job_events.h"
#include "runtime/coordinator/measuring_process.h"

namespace surety::runtime {

class LongWork {
 public:
  // `program` measures (runtime/coordinator/measuring_process.h); `folder` is that of the run.
  LongWork(std::filesystem::path program, std::filesystem::path folder);
  // Ends the process, and waits for the thread: a planner cannot be interrupted.
  ~LongWork() = default;
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  void measure();
  // REQUIRES: no plan is being made.
  void plan(orchestrator::MakePlan order);

  // The next result, as soon as there is one. Never waits.
  [[nodiscard]] std::optional<orchestrator::Event> poll();

 private:
  const std::filesystem::path program_;
  const std::filesystem::path folder_;
  std::optional<Result<MeasuringProcess>> measuring_;  // An error if it could not be started.
  std::future<Result<plan::Decision>> planning_;
};

}  // namespace surety::runtime
