// Orders to the trainer (trainer.h). There is at most one current order.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "data/sources/chunk.h"
#include "data/split.h"

namespace surety::orchestrator {

struct BeginOrder {};
struct PassOrder {};
struct EvaluateOrder {
  bool duality = false;
  data::Split split = data::Split::kDecide;
  std::vector<data::ChunkRange> ranges;
};
struct SwitchOrder {
  std::string version;
};
struct SaveOrder {
  std::string folder;
};
struct ProbeOrder {
  WorkerId from;
  WorkerId to;
  std::uint64_t bytes = 0;
};
using Order =
    std::variant<BeginOrder, PassOrder, EvaluateOrder, SwitchOrder, SaveOrder, ProbeOrder>;

}  // namespace surety::orchestrator
