// A summary of the current state of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "certificate/run_phase.h"
#include "orchestrator/session/trainer_events.h"

namespace surety::orchestrator {

// The terminal's status line and the log show it.
struct JobView {
  std::optional<certificate::RunPhase> phase;  // None before the first.
  std::string version;
  std::uint32_t workers = 0;
  std::uint32_t pass = 0;
  double pass_done = 0;          // Share of the current pass that is done.
  std::optional<double> metric;  // The last value measured in training or profiling.
  std::uint32_t profile_runs = 0;
  std::uint32_t profile_runs_done = 0;
  double cost = 0;
  std::optional<std::uint32_t> attempt;  // The attempt in training, if there is a pool.
  std::optional<std::string> forecast;   // The expected time of reaching the target.
  std::optional<Waiting> waits_for;
};

}  // namespace surety::orchestrator
