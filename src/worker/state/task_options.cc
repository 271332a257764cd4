#include "worker/state/task_options.h"

#include "proto/surety.pb.h"
#include "protocol/messages.h"

namespace surety::worker {

learn::TaskOptions task_options(const proto::TaskOptions& task) {
  learn::TaskOptions options;
  options.model = task.model();
  options.schema = protocol::from_proto(task.schema());
  options.samples = task.samples();
  options.seed = task.seed();
  options.batch = task.batch();
  options.local_steps = task.local_steps();
  options.learning_rate = task.learning_rate();
  options.momentum = task.momentum();
  options.weight_decay = task.weight_decay();
  options.outer_momentum = task.outer_momentum();
  options.outer_learning_rate = task.outer_learning_rate();
  if (task.has_lambda()) options.lambda = task.lambda();
  options.l1_ratio = task.l1_ratio();
  return options;
}

}  // namespace surety::worker
