#include "worker/operations/round_wait.h"

#include <utility>

#include "base/check.h"

namespace surety::worker {

void tell_waiting(const OperationContext& context, const std::vector<WorkerId>& others) {
  proto::FromWorker message;
  message.set_sequence(context.command.sequence());
  for (const WorkerId worker : others) message.mutable_waiting()->add_for_workers(worker.value);
  context.host.answer(message);
}

void RoundWait::join(Round round, std::vector<float> values) {
  SURETY_CHECK(!timer_);
  timer_ = context_.wake_after(kAskEvery);
  context_.network.join_round(std::move(round), std::move(values));
}

void RoundWait::on_time(std::uint64_t timer) {
  if (timer_ != timer) return;
  timer_ = context_.wake_after(kAskEvery);
  const std::vector<WorkerId> missing = context_.network.ask_round(context_.command.sequence());
  if (!missing.empty()) tell_waiting(context_, missing);
}

void RoundWait::leave() {
  if (std::exchange(timer_, std::nullopt)) {
    context_.network.leave_round(context_.command.sequence());
  }
}

}  // namespace surety::worker
