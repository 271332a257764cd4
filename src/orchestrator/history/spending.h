// Where the time and the money of a run went, by category.
#pragma once

#include <string>
#include <vector>

#include "certificate/spending_part.h"
#include "orchestrator/history/run_state.h"

namespace surety::orchestrator {

// In the order in which a run spends it: gathering workers (with profiling and planning, if there
// was any), passes of the attempt that is kept, passes of the others, measuring after passes,
// waiting (session starts, checkpoints, changes of version and nodes, passes that were lost),
// certifying, data. Parts without time and cost are left out.
//
// ENSURES: costs add up to total_cost(state.record), up to rounding. Time during which no
// coordinator worked counts as waiting. It costs nothing after a pause, and after a crash what
// workers cost that waited for the next coordinator. O(passes).
[[nodiscard]] std::vector<certificate::SpendingPart> spending(const RunState& state);

}  // namespace surety::orchestrator
