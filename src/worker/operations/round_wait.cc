#include "worker/operations/round_wait.h"

#include <chrono>
#include <utility>

#include "base/check.h"

namespace surety::worker {
namespace {

// The interval is shorter than the time after which users ask what a run is doing, and longer than
// a round of a small model.
constexpr Duration kAskEvery = std::chrono::seconds(2);

}  // namespace

void RoundWait::join(Round round, std::vector<float> values) {
  SURETY_CHECK(!timer_);
  timer_ = context_.wake_after(kAskEvery);
  context_.network.join_round(std::move(round), std::move(values));
}

void RoundWait::on_time(std::uint64_t timer) {
  if (timer_ != timer) return;
  timer_ = context_.wake_after(kAskEvery);
  const std::uint64_t sequence = context_.command.sequence();
  const std::vector<WorkerId> missing = context_.network.ask_round(sequence);
  if (missing.empty()) return;
  proto::FromWorker message;
  message.set_sequence(sequence);
  for (const WorkerId worker : missing) message.mutable_waiting()->add_for_workers(worker.value);
  context_.host.answer(message);
}

void RoundWait::leave() {
  if (std::exchange(timer_, std::nullopt)) {
    context_.network.leave_round(context_.command.sequence());
  }
}

}  // namespace surety::worker
