#include "worker/operations/merge.h"

#include <optional>
#include <utility>

#include "learn/model_checksum.h"
#include "worker/state/iteration_sums.h"

namespace surety::worker {

void Merge::begin(std::vector<float> values, proto::StepDone done, Time learned) {
  merged_ = std::make_shared<Merged>();
  merged_->values = std::move(values);
  done_ = std::move(done);
  learned_ = learned;
  context_.start({.kind = Work::Kind::kMerge,
                  .run = [&context = context_, merged = merged_](const WorkLimits&) {
                    run(context, *merged);
                    return Result<void>{};
                  }});
}

void Merge::run(const OperationContext& context, Merged& merged) {
  const proto::Step& order = context.command.step();
  State& state = context.state;
  std::vector<float> values = std::move(merged.values);
  make_sums(order, state.model, values);
  merged.model = next_model(order, state.chunks.own(), state.model, *state.task, values);
  merged.checksum = learn::model_checksum(merged.model);
}

void Merge::on_work_done(const Result<void>& outcome) {
  if (!outcome) return context_.fail(outcome.error(), std::nullopt);
  const proto::Step& order = context_.command.step();
  done_.set_reduce_s(to_seconds(context_.host.now() - learned_));
  done_.set_model_checksum(merged_->checksum);
  context_.state.tentative = Tentative{.iteration = order.iteration(),
                                       .model = std::move(merged_->model),
                                       .from_task = !order.resum()};
  proto::FromWorker answer;
  *answer.mutable_step_done() = std::move(done_);
  context_.answer(std::move(answer));
}

}  // namespace surety::worker
