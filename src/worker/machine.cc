#include "worker/machine.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "protocol/messages.h"
#include "worker/operations/operation_factory.h"

namespace surety::worker {
namespace {

proto::FromWorker failed(const Error& error, std::optional<WorkerId> blamed) {
  proto::FromWorker message;
  proto::Failed& failed = *message.mutable_failed();
  failed.set_fault(protocol::fault_of(error.code));
  failed.set_message(plain_text(error.message, kMessageBytesMax));
  // This worker would fail again. If the connection to a peer failed instead, the coordinator sends
  // the command again.
  failed.set_fatal(!blamed.has_value());
  if (blamed) failed.set_blamed(blamed->value);
  return message;
}

}  // namespace

// ---- commands -----------------------------------------------------------------------------------

void Machine::on_welcome(const proto::Welcome& welcome, bool keeps_samples) {
  Order order{.message = {}, .keeps_samples = keeps_samples};
  *order.message.mutable_welcome() = welcome;
  enqueue(std::move(order));
}

void Machine::on_command(const proto::ToWorker& command) { enqueue({.message = command}); }

void Machine::on_coordinator_lost() {
  std::erase_if(orders_, [](const Order& order) { return !order.message.has_welcome(); });
  failure_.reset();
  if (!operation_) return;
  if (is_working_) return stop_work();
  operation_->abandon();
  end_operation();
}

void Machine::enqueue(Order order) {
  orders_.push_back(std::move(order));
  if (is_working_) {
    failure_.reset();  // The coordinator does not wait for this failure any more.
    return stop_work();
  }
  begin_next();
}

// Each waiting command is begun, because it states which iteration was committed. It is abandoned
// at once if there is a newer command.
void Machine::begin_next() {
  while (!is_working_ && !orders_.empty()) {
    if (operation_) {
      operation_->abandon();
      end_operation();
    }
    const Order order = std::move(orders_.front());
    orders_.pop_front();
    if (order.message.has_welcome()) {
      if (!order.keeps_samples) {
        network_.begin_run();
        begun_.reset();  // The commands of another run have numbers of their own.
      }
      network_.rejoin(WorkerId{order.message.welcome().worker()});
      files_.use_sources(order.message.welcome());
      state_.rejoin(order.message.welcome(), order.keeps_samples);
    } else {
      begin(order.message);
    }
  }
  if (is_working_ && !orders_.empty()) stop_work();
}

void Machine::begin(const proto::ToWorker& command) {
  begun_ = command.sequence();
  network_.discard_blobs_before(command.sequence());
  const bool same_session = !command.has_prepare() || command.prepare().session() == state_.session;
  if (same_session && state_.task) state_.commit_or_discard(command.model_iteration());
  operation_ = make_operation(context_of(command));
  if (!operation_) {
    return answer_without_operation(
        {ErrorCode::kDefect, "an unknown command: do the versions of the programs differ?"});
  }
  const bool needs_task = !command.has_prepare() && !command.has_probe();
  if (needs_task && !state_.task) {
    return fail({ErrorCode::kDefect, "no session has been prepared"}, std::nullopt);
  }
  operation_->begin();
}

OperationContext Machine::context_of(const proto::ToWorker& command) {
  return {.command = command,
          .state = state_,
          .host = host_,
          .network = network_,
          .files = files_,
          .factory = factory_,
          .start =
              [this](Work work) {
                SURETY_CHECK(!is_working_);
                is_working_ = true;
                host_.start(std::move(work));
              },
          .answer = [this](proto::FromWorker message) { answer(std::move(message)); },
          .fail = [this](Error error,
                         std::optional<WorkerId> blamed) { fail(std::move(error), blamed); },
          .wake_after =
              [this](Duration delay) {
                host_.wake_after(delay, ++timer_);
                return timer_;
              }};
}

void Machine::end_operation() { ended_ = std::move(operation_); }

void Machine::answer(proto::FromWorker message) {
  message.set_sequence(operation_->sequence());
  end_operation();
  host_.answer(message);
}

void Machine::answer_without_operation(const Error& error) {
  proto::FromWorker message = failed(error, std::nullopt);
  message.set_sequence(*begun_);
  host_.answer(message);
}

void Machine::fail(Error error, std::optional<WorkerId> blamed) {
  if (is_working_) {
    if (!is_ending_) failure_ = Failure{std::move(error), blamed};
    return stop_work();
  }
  operation_->abandon();
  answer(failed(error, blamed));
}

std::vector<ChunkId> Machine::chunks() const {
  const bool go = std::ranges::any_of(orders_, [](const Order& order) {
    return order.message.has_welcome() && !order.keeps_samples;
  });
  return go ? std::vector<ChunkId>{} : state_.chunks.ids();
}

// ---- background computations --------------------------------------------------------------------

void Machine::stop_work() {
  if (std::exchange(is_ending_, true)) return;
  host_.stop_work();
}

void Machine::on_work_done(const Result<void>& outcome) {
  SURETY_CHECK(is_working_ && operation_);
  is_working_ = false;
  if (!std::exchange(is_ending_, false)) {
    operation_->on_work_done(outcome);
  } else {
    operation_->on_work_stopped(outcome);
    operation_->abandon();
    if (const auto failure = std::exchange(failure_, std::nullopt)) {
      answer(failed(failure->error, failure->blamed));
    } else {
      end_operation();
    }
  }
  begin_next();
}

// ---- other events -------------------------------------------------------------------------------

void Machine::on_time(std::uint64_t timer) {
  if (operation_ && !is_ending_) operation_->on_time(timer);
}

void Machine::on_network(NetworkEvent event) {
  if (!operation_ || is_ending_) return;
  const std::optional<std::uint64_t> sequence = sequence_of(event);
  if (sequence && *sequence != operation_->sequence()) return;
  std::visit(Overloaded{
                 [&](const BlobArrived&) { operation_->on_blob(); },
                 [&](const BlobSent& sent) { operation_->on_blob_sent(sent.to); },
                 [&](const WorkerLost& lost) { operation_->on_lost(lost.worker, lost.why); },
                 [&](RoundDone& done) { operation_->on_round_done(std::move(done.result)); },
                 [&](const RoundFailed& failed) { fail(failed.error, failed.blamed); },
                 [&](const ExchangeMessage& message) {
                   operation_->on_exchange_message(message.from, message.bytes);
                 },
                 [&](const ExchangeSent& sent) { operation_->on_exchange_sent(sent.to); },
             },
             event);
}

void Machine::on_exception(const Error& error) {
  if (is_ending_) return;
  if (operation_) {
    fail(error, std::nullopt);
  } else if (begun_) {
    answer_without_operation(error);
  }
  begin_next();
}

}  // namespace surety::worker
