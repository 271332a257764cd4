// Where a job stands, in a few words and numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/session.h"

namespace surety::orchestrator {

// For the live line and the log.
struct JobView {
  std::string phase, version;
  std::uint32_t workers = 0, pass = 0;
  double pass_done = 0;          // Share of the pass in hand.
  std::optional<double> metric;  // Last one measured in training, or in profiling.
  std::uint32_t profile_runs = 0, profile_runs_done = 0;
  double cost = 0;
  std::uint32_t attempt = 0;  // Of a pool, in training; 0: none.
  std::string forecast;       // When the target is expected; may be empty.
  std::optional<Waiting> waits_for;
};

}  // namespace surety::orchestrator
