#include "worker/operations/sync_step.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace surety::worker {
namespace {

// Scales an update that was learned from a part of the given samples to its part in an average by
// samples. Returns the share that is missing.
float weigh_by_samples(const proto::Step& order, std::uint64_t done, std::span<float> update) {
  std::uint64_t given = 0;
  for (const proto::WorkItem& item : order.items()) given += item.count();
  if (given == 0 || done == given) return 0;
  const auto share = static_cast<float>(static_cast<double>(done) / static_cast<double>(given));
  for (float& value : update) value *= share;
  return 1 - share;
}

// The vector that this worker adds to the sum. After the parameters come the missing share of the
// given samples, which is exactly 0 if all are done, and then the slopes of the line search.
std::vector<float> values_of(const proto::Step& order, const learn::LocalResult& result,
                             std::vector<float> update) {
  const float missing = order.averages() ? weigh_by_samples(order, result.samples, update) : 0.0f;
  update.push_back(missing);
  if (order.line_search()) {
    update.insert(update.end(), result.slopes.begin(), result.slopes.end());
  }
  return update;
}

}  // namespace

// ---- learning -----------------------------------------------------------------------------------

void SyncStep::begin() {
  for (const proto::Peer& peer : order().members()) network().know(peer);
  state().begin_work(order());
  if (const Result<void> checked = check_items(order(), state()); !checked) {
    return fail_with(checked.error());
  }
  learning_ = std::make_shared<Learning>();
  learning_->work = LearnedWork::begin(order());
  const LearnedWork& begun = state().learned ? *state().learned : learning_->work;
  const Time now = host().now();
  learning_->learned.began = now;
  Work work{.kind = Work::Kind::kLearn,
            .items = begun.items_left(),
            .keeps_part = order().averages(),
            .run = {}};
  work.late_s = late_s(late_at(order(), now), now);
  if (order().resum()) work.items.clear();
  work.run = [&context = context(), learning = learning_](const WorkLimits& limits) {
    return learn(context, limits, *learning);
  };
  context().start(std::move(work));
}

Result<void> SyncStep::learn(const OperationContext& context, const WorkLimits& limits,
                             Learning& learning) {
  const proto::Step& order = context.command.step();
  State& state = context.state;
  Learned& learned = learning.learned;
  LearnedWork& work = learning.work;
  if (state.learned) work = *state.learned;
  // Reserves room for the values that values_of() appends to the parameters.
  learned.update.reserve(state.model.parameters.size() + 1 + learn::kLinePoints);
  if (order.resum()) {
    std::vector<double> sums(state.model.parameters.size(), 0.0);
    SURETY_TRY(state.task->add_dual_sums(state.chunks.own(), sums));
    learned.update.assign(sums.begin(), sums.end());
    learned.ended = context.host.now();
    learning.values = values_of(order, work.result, std::move(learned.update));
    return {};
  }
  std::optional<learn::Model> begun;
  if (work.is_begun()) work.add_to(begun.emplace(state.model).parameters);
  const LearningCall call{.items = work.items_left(),
                          .model = begun ? *begun : state.model,
                          .continues = begun.has_value(),
                          .late = late_at(order, learned.began)};
  SURETY_TRY(call_learning(order, call, state, context.host, limits, learned));
  work.add_to(learned.update);
  work.result.add(learned.result);
  work.result.slopes = learned.result.slopes;
  work.compute_s += to_seconds(learned.ended - learned.began);
  if (order.averages()) work.change = learned.update;
  learning.values = values_of(order, work.result, std::move(learned.update));
  return {};
}

void SyncStep::on_work_done(const Result<void>& outcome) {
  if (merge_.has_begun()) return merge_.on_work_done(outcome);
  if (!outcome) return fail_with(outcome.error());
  const LearnedWork& work = learning_->work;
  const Learned& learned = learning_->learned;
  done_.set_samples(work.result.samples);
  done_.set_compute_s(order().resum() ? to_seconds(learned.ended - learned.began) : work.compute_s);
  keep_learned_work();
  sum_up();
}

void SyncStep::on_work_stopped(const Result<void>& outcome) {
  if (outcome && !merge_.has_begun()) keep_learned_work();
}

void SyncStep::keep_learned_work() {
  if (order().averages() && !order().resum()) state().learned = std::move(learning_->work);
}

// ---- adding up ----------------------------------------------------------------------------------

void SyncStep::sum_up() {
  RoundSum sum{.weights = {order().weights().begin(), order().weights().end()}};
  if (!order().shares().empty()) {
    sum.shares.emplace(order().shares().begin(), order().shares().end());
  }
  Round round{.sequence = sequence(), .kind = std::move(sum), .version = state().model.version};
  for (const proto::Peer& peer : order().members()) {
    round.members.push_back(WorkerId{peer.worker()});
  }
  if (const auto checked = check(round, state().self); !checked) return fail_with(checked.error());
  round_.join(std::move(round), std::move(learning_->values));
}

void SyncStep::on_round_done(RoundResult result) {
  round_.on_done();
  if (result.port) *done_.mutable_port() = *result.port;
  merge_.begin(std::move(result.values), std::move(done_), learning_->learned.ended);
}

}  // namespace surety::worker
