// The journal's record of a pass, and the point from which training can continue with a checkpoint.
#pragma once

#include "orchestrator/history/metric.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/stages/training_point.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// Has all fields except attempt, block and version. The training loss is the mean over the pass's
// samples. An iteration is slow if it took more than twice the median of its pass.
[[nodiscard]] proto::PassDone pass_record(const PassFinished& pass, const MetricValue& metric,
                                          double eval_seconds);

// Has all fields except attempt, pass, block and version.
[[nodiscard]] proto::CheckpointCommitted checkpoint_record(const SaveFinished& saved,
                                                           const MetricValue& metric);

[[nodiscard]] TrainingPoint point_of(const proto::CheckpointCommitted& from);

}  // namespace surety::orchestrator
