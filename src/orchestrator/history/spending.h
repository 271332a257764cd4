// The time and the money that a run has spent, by category.
#pragma once

#include <string>
#include <vector>

#include "certificate/spending_part.h"
#include "orchestrator/history/run_state.h"

namespace surety::orchestrator {

// The categories, in the order in which a run spends on them: gathering workers (with profiling and
// planning, if there was any), passes of the attempt that is kept, passes of the others, measuring
// after passes, waiting (session starts, checkpoints, changes of version and nodes, passes that
// were lost), certifying, data. Categories without time and cost are omitted.
//
// ENSURES: costs add up to total_cost(state.record), up to rounding. Time during which no
// coordinator worked counts as waiting. It has no cost after a pause. After a crash, it has the
// cost of the workers that waited for the next coordinator. O(passes).
[[nodiscard]] std::vector<certificate::SpendingPart> spending(const RunState& state);

}  // namespace surety::orchestrator
