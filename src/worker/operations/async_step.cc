#include "worker/operations/async_step.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "learn/linear/glm_items.h"
#include "model/zoo.h"
#include "worker/operations/exchange_options.h"
#include "worker/operations/round_wait.h"

namespace surety::worker {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(50);

}  // namespace

// ---- the exchange -------------------------------------------------------------------------------

void AsyncStep::begin() {
  for (const proto::Peer& peer : order().members()) network().know(peer);
  state().begin_work(order());
  if (const Result<void> checked = check_items(order(), state()); !checked) {
    return fail_with(checked.error());
  }
  // Without steps every piece would be empty, and learning would never end.
  if (order().asynchronous().steps() == 0) {
    return fail_with(
        {ErrorCode::kDefect,
         fmt::format("command {}: found an update of 0 batches, expected at least 1", sequence())});
  }
  const auto options = exchange_options();
  if (!options) return fail_with(options.error());
  std::optional<std::uint32_t> batch;
  if (!model::is_linear(state().options.model())) batch = state().options.batch();
  if (batch == 0u) {
    return fail_with(
        {ErrorCode::kDefect,
         fmt::format("command {}: found a batch of 0 samples, expected at least 1", sequence())});
  }
  LearnedWork begun = begun_work();
  begun_s_ = begun.compute_s;
  ended_ = host().now();
  learner_.emplace(order(), *options, state().self, state().model, std::move(begun), batch,
                   host().watches_exchanges(), host().now());
  network().join_exchange(sequence(), options->workers);
  timer_ = context().wake_after(kTick);
  advance({});
}

Result<fabric::ExchangeOptions> AsyncStep::exchange_options() const {
  const std::size_t elements =
      learn::shared_size(state().model.parameters.size(), order().line_search());
  return exchange_of(order(), elements, network().wire_scale(), state().ports);
}

// CoCoA visits its chunks in another order in each pass.
LearnedWork AsyncStep::begun_work() const {
  if (state().learned) return *state().learned;
  LearnedWork work = LearnedWork::begin(order());
  if (!model::is_linear(state().options.model()) || work.items.empty()) return work;
  const learn::LocalWork all{.pass = order().pass(), .items = work.items};
  work.items = learn::items_of_tasks(all, state().options.seed()).front();
  return work;
}

void AsyncStep::on_exchange_message(WorkerId from, const std::vector<std::byte>& bytes) {
  if (learner_) advance(learner_->on_message(host().now(), from, bytes));
}

void AsyncStep::on_exchange_sent(WorkerId to) {
  if (!learner_) return;
  learner_->on_sent(to);
  advance({});
}

void AsyncStep::on_time(std::uint64_t timer) {
  if (timer != timer_ || !learner_) return;
  learner_->tick(host().now(), network().port_bytes());
  timer_ = context().wake_after(kTick);
  report_waiting();
  advance({});
}

// A worker in an exchange does not know which other workers still compute, so its message names all
// of them.
void AsyncStep::report_waiting() {
  const Time now = host().now();
  const Time since = std::max(ended_, reported_.value_or(ended_));
  if (learning_ || now < since + kAskEvery) return;
  reported_ = now;
  std::vector<WorkerId> others;
  for (const proto::Peer& peer : order().members()) {
    if (const WorkerId worker{peer.worker()}; worker != state().self) others.push_back(worker);
  }
  tell_waiting(context(), others);
}

// A broken connection does not show which worker has crashed, so the coordinator decides that.
// After the end of the exchange, this worker needs no other worker.
void AsyncStep::on_lost(WorkerId worker, const std::string& why) {
  if (!learner_) return;
  const auto is_it = [&](const proto::Peer& peer) { return WorkerId{peer.worker()} == worker; };
  if (std::ranges::any_of(order().members(), is_it)) blame(worker, why);
}

void AsyncStep::advance(const Result<void>& so_far) {
  if (!so_far) return fail_with(so_far.error());
  auto sends = learner_->next_sends(host().now());
  if (!sends) return fail_with(sends.error());
  for (AsyncLearner::Send& send : *sends) {
    network().send_in_exchange(sequence(), send.to, std::move(send.message));
  }
  if (learner_->has_ended()) return finish();
  learn_piece();
}

// ---- learning -----------------------------------------------------------------------------------

void AsyncStep::learn_piece() {
  const Time now = host().now();
  if (!began_) began_ = now;
  const std::optional<Time> late = late_at(order(), *began_);
  auto piece = learner_->next_piece(late && now >= *late);
  if (!piece) return;
  learning_ = std::make_shared<Learning>();
  learning_->piece = std::move(*piece);
  learning_->learned.began = learning_->started = now;
  Work work{.kind = Work::Kind::kLearn,
            .items = learning_->piece.items,
            .keeps_part = order().averages(),
            .run = {}};
  work.late_s = late_s(late, now);
  work.run = [&context = context(), &iteration = *learner_, learning = learning_,
              late](const WorkLimits& limits) {
    const LearningCall call{.items = learning->piece.items,
                            .model = iteration.model(),
                            .continues = iteration.result().samples > 0,
                            .is_end = learning->piece.ends,
                            .late = late};
    return call_learning(context.command.step(), call, context.state, context.host, limits,
                         learning->learned);
  };
  context().start(std::move(work));
}

void AsyncStep::on_work_done(const Result<void>& outcome) {
  if (merge_.has_begun()) return merge_.on_work_done(outcome);
  if (!outcome) return fail_with(outcome.error());
  take_learned();
  advance({});
}

void AsyncStep::on_work_stopped(const Result<void>& outcome) {
  if (outcome && !merge_.has_begun()) take_learned();
}

void AsyncStep::take_learned() {
  const std::shared_ptr<Learning> learning = std::exchange(learning_, nullptr);
  const Learned& learned = learning->learned;
  // The time in which a model was prepared is not part of learning.
  *began_ += learned.began - learning->started;
  ended_ = learned.ended;
  learner_->on_learned(learned.update, learned.result, learning->piece.ends || learned.is_late);
}

// ---- the end ------------------------------------------------------------------------------------

void AsyncStep::finish() {
  std::vector<float> shared = learner_->take_shared();
  if (const auto& sum = learner_->sum()) host().on_exchanged(sequence(), shared, *sum);
  proto::StepDone done;
  done.set_samples(learner_->result().samples);
  done.set_compute_s(begun_s_ + to_seconds(ended_ - began_.value_or(ended_)));
  if (const auto* scheduler = learner_->exchange().scheduler()) {
    done.set_updates_dropped(scheduler->counts().dropped);
    done.set_placements(static_cast<std::uint32_t>(scheduler->counts().placements));
    done.set_placed_why(scheduler->counts().placed_why);
    state().ports = scheduler->known_ports();
  }
  leave();
  merge_.begin(std::move(shared), std::move(done), ended_);
}

void AsyncStep::abandon() { leave(); }

void AsyncStep::leave() {
  if (!learner_) return;
  network().leave_exchange(sequence());
  if (order().averages()) {
    state().learned = learner_->learned_work();
    const Time until = learner_->has_learned_all() ? ended_ : host().now();
    state().learned->compute_s = begun_s_ + to_seconds(until - began_.value_or(until));
  }
  learner_.reset();
}

}  // namespace surety::worker
