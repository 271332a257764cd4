#include "worker/operations/evaluation.h"

#include <utility>

#include "data/split.h"
#include "protocol/learning.h"
#include "protocol/messages.h"

namespace surety::worker {
namespace {

Result<learn::Evaluation> evaluate_range(const OperationContext& context,
                                         const data::ChunkRange& range) {
  State& state = context.state;
  if (!state.validation.contains(range.id)) {
    SURETY_TRY(std::vector<data::Chunk> chunks, context.files.read_chunks({range}));
    const Result<void> checked = state.task->check(chunks.front().samples, range.first);
    if (!checked) return fail_in(checked.error(), "{}", context.files.place_of(range));
    state.validation.emplace(range.id, std::move(chunks.front()));
  }
  const std::vector<std::uint32_t> selected =
      data::indices_of(static_cast<data::Split>(context.command.evaluate().split()), range.first,
                       range.count, state.split_seed);
  return state.task->evaluate(state.validation.at(range.id).samples, selected, state.model);
}

Result<void> evaluate(const OperationContext& context, const WorkLimits& limits,
                      learn::Evaluation& total) {
  const proto::Evaluate& order = context.command.evaluate();
  State& state = context.state;
  if (order.duality()) {
    const std::vector<double> sums(state.model.parameters.begin(), state.model.parameters.end());
    SURETY_TRY(total, state.task->duality_terms(state.model, sums, state.chunks.own()));
  }
  for (const proto::ChunkRange& range : order.ranges()) {
    if (limits.stop) return fail(ErrorCode::kUnavailable, "the evaluation was stopped");
    SURETY_TRY(const learn::Evaluation part, evaluate_range(context, protocol::from_proto(range)));
    total.add(part);
  }
  return {};
}

}  // namespace

void Evaluation::begin() {
  began_ = host().now();
  total_ = std::make_shared<learn::Evaluation>();
  context().start({.kind = Work::Kind::kEvaluate,
                   .run = [&context = context(), total = total_](const WorkLimits& limits) {
                     return evaluate(context, limits, *total);
                   }});
}

void Evaluation::on_work_done(const Result<void>& outcome) {
  if (!outcome) return fail_with(outcome.error());
  proto::FromWorker answer;
  proto::Evaluated& done = *answer.mutable_evaluated();
  *done.mutable_sums() = protocol::to_proto(*total_);
  done.set_seconds(to_seconds(host().now() - began_));
  context().answer(std::move(answer));
}

}  // namespace surety::worker
