// What the journal keeps of a pass, and where a checkpoint lets training go on.
#pragma once

#include <string>

#include "orchestrator/metric.h"
#include "orchestrator/session.h"
#include "orchestrator/stages.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// All but which attempt, block and version it was of. The loss in training is the mean over its
// samples; an iteration is slow that took more than twice the median of its pass.
[[nodiscard]] proto::PassDone pass_record(const PassFinished& pass, const MetricValue& metric,
                                          double eval_seconds);

// All but which attempt, pass, block and version it is of.
[[nodiscard]] proto::CheckpointCommitted checkpoint_record(const SaveFinished& saved,
                                                           const MetricValue& metric);

[[nodiscard]] TrainingPoint point_of(const proto::CheckpointCommitted& from);

}  // namespace surety::orchestrator
