// What the journal keeps of a pass, and where a checkpoint lets training go on.
#pragma once

#include "orchestrator/metric.h"
#include "orchestrator/session.h"
#include "orchestrator/stages.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// All but which attempt, block and version it was of. The loss in training is the mean over its
// samples; an iteration is slow that took more than twice the median of its pass.
[[nodiscard]] proto::PassDone pass_record(const PassFinished& pass, const MetricValue& metric,
                                          double eval_seconds);

[[nodiscard]] TrainingPoint point_of(const proto::CheckpointCommitted& from);

}  // namespace surety::orchestrator
