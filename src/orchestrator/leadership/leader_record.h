// The record that a run's leader writes for other coordinators: JSON on one line, which people can
// also read.
//
//   {"host": "node-1", "pid": 4711}                         who leads
//   {"exit_code": 0, "reason": "the target was reached"}    how the run ended
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::orchestrator {

struct Leader {
  std::string host;
  std::uint32_t pid = 0;
};

struct RunEnd {
  int exit_code = 0;
  std::string reason;
};

[[nodiscard]] std::string to_json(const Leader& leader);
[[nodiscard]] std::string to_json(const RunEnd& end);
// Corrupt for any other text, and for a text longer than the longest one that to_json() returns.
[[nodiscard]] Result<Leader> leader_from_json(std::string_view text);
[[nodiscard]] Result<RunEnd> run_end_from_json(std::string_view text);

// Keys of a run (its identity, orchestrator/history/run_state.h): "/surety/RUN/leader" and
// "/surety/RUN/end".
[[nodiscard]] std::string leader_key(std::string_view run);
[[nodiscard]] std::string end_key(std::string_view run);

}  // namespace surety::orchestrator
