// The specification of a session, from the job and the point where training continues.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sources/chunk.h"
#include "orchestrator/session/session_spec.h"
#include "orchestrator/stages/stage_effects.h"
#include "orchestrator/stages/training_point.h"

namespace surety::orchestrator {

// A session on these chunks, with the settings of the job's `model:` and `train:` sections. Without
// a checkpoint in `from` it begins with a fresh model.
[[nodiscard]] SessionSpec session_spec(const StageContext& context,
                                       std::vector<data::ChunkRange> chunks, std::uint64_t seed,
                                       const TrainingPoint& from = {});
// The chunks for a data fraction, chosen by the seed; all chunks for the fraction 1.
[[nodiscard]] std::vector<data::ChunkRange> fraction_of(const std::vector<data::ChunkRange>& chunks,
                                                        double fraction, std::uint64_t seed);

}  // namespace surety::orchestrator
