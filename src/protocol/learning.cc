#include "protocol/learning.h"

#include "proto/surety.pb.h"
#include "protocol/messages.h"

namespace surety::protocol {

learn::TaskOptions from_proto(const proto::TaskOptions& task) {
  learn::TaskOptions options;
  options.model = task.model();
  options.schema = from_proto(task.schema());
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

proto::Sums to_proto(const learn::Evaluation& evaluation) {
  proto::Sums sums;
  sums.set_samples(evaluation.samples);
  sums.set_loss_sum(evaluation.loss_sum);
  sums.set_loss_square_sum(evaluation.loss_square_sum);
  if (evaluation.correct) sums.set_correct(*evaluation.correct);
  sums.set_gap_sum(evaluation.gap_sum);
  sums.set_penalty(evaluation.penalty);
  sums.set_penalty_gap(evaluation.penalty_gap);
  return sums;
}

}  // namespace surety::protocol
