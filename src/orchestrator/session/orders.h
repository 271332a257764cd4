// What a session is ordered to do, and the commands to workers that carry it out. There is at most
// one current order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "data/sources/chunk.h"
#include "data/split.h"
#include "orchestrator/session/trainer_events.h"

namespace surety::orchestrator {

class Roster;

struct BeginOrder {};
struct PassOrder {
  std::optional<std::uint32_t> reference_workers;  // See elastic::Pace::set_reference_workers().
};
// Evaluates the model on these samples of the validation data, or with `duality` the gap on the
// training samples that the workers own.
struct EvaluateOrder {
  bool duality = false;
  data::Split split = data::Split::kDecide;
  std::vector<data::ChunkRange> ranges{};
  // The samples of the ranges that belong to the split. Absent if it is not known; with `duality`,
  // absent means all.
  std::optional<std::uint64_t> samples{};
};
struct SwitchOrder {
  std::string version;
};
struct SaveOrder {
  std::string folder;
};
// Measures the link between two workers.
struct ProbeOrder {
  WorkerId from;
  WorkerId to;
  std::uint64_t bytes = 0;
};
using Order =
    std::variant<BeginOrder, PassOrder, EvaluateOrder, SwitchOrder, SaveOrder, ProbeOrder>;

struct CurrentOrder {
  Order what;
  double began_s = 0;  // Seconds since the run began.
  // Number of tries of the current barrier that a broken link has stopped.
  std::uint32_t retries = 0;
  // For each worker, how often it could not be reached in these tries.
  std::map<WorkerId, std::uint32_t> blamed{};
};

// The commands, without the numbers that each command has. REQUIRES: members not empty.
[[nodiscard]] std::vector<Command> commands_of(const EvaluateOrder& order,
                                               const std::vector<WorkerId>& members);
[[nodiscard]] std::vector<Command> commands_of(const SwitchOrder& order,
                                               const std::vector<WorkerId>& members);
// The first member writes the model. With `chunk_state` each writes that of its chunks.
[[nodiscard]] std::vector<Command> commands_of(const SaveOrder& order,
                                               const std::vector<WorkerId>& members,
                                               bool chunk_state);
// The sender's command comes first. Empty if one of the two workers is not present any more.
[[nodiscard]] std::vector<Command> commands_of(const ProbeOrder& order, const Roster& present);

}  // namespace surety::orchestrator
