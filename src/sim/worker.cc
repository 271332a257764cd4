#include "sim/worker.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/check.h"
#include "base/checksum.h"
#include "base/random.h"
#include "data/split.h"
#include "orchestrator/messages.h"
#include "worker/iteration_sums.h"

namespace surety::sim {
namespace {

// What every command takes beside its work.
constexpr double kOverheadS = 0.5e-3;
// Measuring goes forwards only: a third of learning.
constexpr double kMeasureShare = 1.0 / 3;
constexpr double kDiskBytesPerS = 200e6;
constexpr double kSaveS = 0.02;  // Two syncs of a file.

data::Split split_named(std::uint32_t number) { return static_cast<data::Split>(number); }

}  // namespace

std::uint64_t checksum_of_model(const learn::Model& model) {
  std::uint64_t sum = checksum_of(std::span(model.parameters));
  sum = mix64(sum ^ checksum_of(std::span(model.parent)));
  sum = mix64(sum ^ checksum_of(std::span(model.velocity)));
  return mix64(sum ^ checksum_of(std::span(model.average)));
}

Held Worker::held() const {
  Held view{session_, iteration_, checksum_of_model(model_), {}};
  for (const auto& [id, chunk] : holdings_.chunks()) view.chunks.push_back(id);
  return view;
}

void Worker::join(const proto::Welcome& welcome, bool keeps_samples) {
  give_up();
  self_ = WorkerId{welcome.worker()};
  split_seed_ = welcome.split_seed();
  holdings_.take_back();
  if (!keeps_samples) holdings_.chunks().clear();
  session_ = 0;  // Whichever session is prepared next, it is a new one.
  task_.reset();
  tentative_.reset();
  learned_.reset();
}

void Worker::give_up() {
  if (in_round_) host_.leave_round(order_.sequence());
  leave_async_iteration();
  ++token_;
  busy_ = in_round_ = awaits_states_ = false;
  sends_ = 0;
}

void Worker::command(const proto::ToWorker& command) {
  give_up();
  order_ = command;
  busy_ = true;
  began_s_ = host_.now_s();
  const bool same_session = !command.has_prepare() || command.prepare().session() == session_;
  if (same_session && task_) settle(command.model_iteration());
  carry_out();
}

void Worker::carry_out() {
  if (order_.has_prepare()) return prepare();
  if (order_.has_probe()) return probe();
  if (!task_) return fail_with({ErrorCode::kDefect, "no session has been prepared"});
  if (order_.has_step()) return step();
  if (order_.has_evaluate()) return evaluate();
  if (order_.has_switch_()) return switch_version();
  if (order_.has_save()) return save();
}

void Worker::settle(std::uint64_t model_iteration) {
  if (!tentative_) return;
  if (tentative_->iteration == model_iteration) {
    model_ = std::move(tentative_->model);
    iteration_ = model_iteration;
    if (tentative_->from_task) task_->commit(holdings_.chunks());
    learned_.reset();
  } else if (tentative_->from_task && !learned_) {
    task_->discard();
  }
  tentative_.reset();
}

// ---- waiting ------------------------------------------------------------------------------------

void Worker::wait(double seconds, std::function<void()> then) {
  then_ = std::move(then);
  host_.wake_after(kOverheadS + seconds, ++token_);
}

void Worker::woken(std::uint64_t token) {
  if ((token & kTick) != 0) return tick(token & ~kTick);
  if (token != token_ || !busy_) return;
  const auto then = std::exchange(then_, nullptr);
  if (then) then();
}

void Worker::finished(std::uint64_t sequence, std::span<const float> values) {
  if (!in_round_ || sequence != order_.sequence()) return;
  in_round_ = false;
  const auto merge = std::exchange(merge_, nullptr);
  merge(values);
}

// A round cannot go on without the peer. Whoever it was, the coordinator knows better: it decides.
void Worker::broken(std::uint64_t sequence, WorkerId peer) {
  if (!(in_round_ || async_) || sequence != order_.sequence()) return;
  in_round_ = false;
  fail_with({ErrorCode::kUnavailable, fmt::format("the connection to worker {} is lost", peer)},
            peer);
}

void Worker::reply(proto::FromWorker answer) {
  busy_ = false;
  answer.set_sequence(order_.sequence());
  host_.answer(answer);
}

void Worker::fail_with(const Error& error, std::optional<WorkerId> blamed) {
  leave_async_iteration();
  proto::FromWorker answer;
  proto::Failed& failed = *answer.mutable_failed();
  failed.set_fault(orchestrator::fault_of(error.code));
  failed.set_message(error.message);
  failed.set_fatal(!blamed.has_value());
  failed.set_has_blamed(blamed.has_value());
  failed.set_blamed(blamed.value_or(WorkerId{}).value);
  reply(std::move(answer));
}

// ---- learning -----------------------------------------------------------------------------------

// What was learned of the same work in an attempt that came to nothing stays.
void Worker::begin_work() {
  if (learned_ && learned_->is_of(order_.step())) return;
  task_->discard();
  learned_.reset();
}

// Those of the items that are done before the worker is late, and how long they take. A network
// stops between two batches, a linear model between two items.
std::vector<learn::WorkItem> Worker::items_in_time(const std::vector<learn::WorkItem>& all,
                                                   double limit_s, double& seconds) const {
  const double share = host_.computing_s(1);
  std::vector<learn::WorkItem> items;
  for (const learn::WorkItem& item : all) {
    const bool is_late = limit_s > 0 && seconds >= limit_s && !items.empty();
    if (is_late) break;
    learn::WorkItem part = item;
    const double each_s =
        share * learner_.sample_s(holdings_.chunks().at(part.chunk).range, model_.version);
    if (limit_s > 0 && learner_.samples_least > 1) {
      const auto batch = static_cast<double>(learner_.samples_least);
      const double batches = std::ceil(std::max(0.0, limit_s - seconds) / (each_s * batch));
      const double most = std::max(1.0, batches) * batch;
      if (most < part.count) part.count = static_cast<std::uint32_t>(most);
    }
    seconds += each_s * part.count;
    items.push_back(part);
    if (part.count < item.count) break;
  }
  return items;
}

// What is learned is in `begun` when it is over, `seconds` later.
Result<void> Worker::local_work(const proto::Step& order, worker::LearnedWork& begun,
                                double& seconds) {
  for (const learn::WorkItem& item : begun.items) {
    if (holdings_.chunks().contains(item.chunk)) continue;
    return fail(ErrorCode::kInvalidInput, "work on chunk {}, which is not here", item.chunk);
  }
  learn::LocalWork work{.iteration = order.iteration(),
                        .pass = order.pass(),
                        .workers = order.tasks(),
                        .tasks = order.tasks_per_node(),
                        .items = items_in_time(begun.items_left(), order.compute_s_max(), seconds),
                        .line_search = order.line_search(),
                        .rate = order.rate(),
                        .enough = {},
                        .continues = begun.is_begun()};
  if (work.items.empty()) return {};
  learn::Model model = model_;
  begun.add_to(model.parameters);
  std::vector<float> update(model.parameters.size(), 0.0f);
  const std::atomic<bool> never{false};
  SURETY_TRY(const learn::LocalResult result,
             task_->compute(work, model, holdings_.chunks(), update, never));
  begun.add_to(update);
  begun.change = std::move(update);
  begun.result.add(result);
  begun.result.slopes = result.slopes;
  return {};
}

void Worker::step() {
  const proto::Step& order = order_.step();
  if (order.has_asynchronous()) return exchange_step();
  host_.learning(held(), order_);
  begin_work();
  const std::size_t parameters = model_.parameters.size();
  const std::size_t slopes = order.line_search() ? learn::kLinePoints : 0;
  std::vector<float> update(parameters + 1 + slopes, 0.0f);
  const std::span<float> change = std::span(update).first(parameters);
  worker::LearnedWork work = learned_.value_or(worker::LearnedWork::begin(order));
  double seconds = 0;
  const Result<void> learned = order.resum() ? task_->partial_model(holdings_.chunks(), change)
                                             : local_work(order, work, seconds);
  if (!learned) return fail_with(learned.error());
  local_ = work.result;
  work.add_to(change);
  std::uint64_t given = 0;
  for (const learn::WorkItem& item : work.items) given += item.count;
  if (order.averages() && given > local_.samples) {
    const double share = static_cast<double>(local_.samples) / static_cast<double>(given);
    for (float& value : change) value *= static_cast<float>(share);
    update[parameters] = static_cast<float>(1 - share);
  }
  std::copy_n(local_.slopes.begin(), slopes, update.end() - static_cast<std::ptrdiff_t>(slopes));
  wait(seconds, [this, update = std::move(update), work = std::move(work)]() mutable {
    computed_s_ = host_.now_s();
    work.compute_s += computed_s_ - began_s_;
    if (order_.step().averages()) learned_ = std::move(work);
    Round round{.sequence = order_.sequence(),
                .holders = {},
                .members = {},
                .weights = {order_.step().weights().begin(), order_.step().weights().end()},
                .bytes = learner_.model_bytes(model_.version)};
    for (const proto::Peer& peer : order_.step().members()) {
      round.members.push_back(WorkerId{peer.worker()});
    }
    in_round_ = true;
    merge_ = [this](std::span<const float> sums) { merge(sums); };
    host_.join_round(round, std::move(update));
  });
}

void Worker::merge(std::span<const float> sums) {
  const proto::Step& order = order_.step();
  const std::size_t parameters = model_.parameters.size();
  std::vector<float> update(sums.begin(), sums.end());
  const std::span<float> learned = std::span(update).first(parameters);
  if (const float missing = update[parameters]; missing > 0) {
    for (float& value : learned) value /= 1 - missing;
  }
  Tentative next{.iteration = order.iteration(),
                 .model = worker::next_model(order, holdings_.chunks(), model_, *task_, update),
                 .from_task = !order.resum()};
  if (std::exchange(spoils_, false)) next.model.parameters[0] += 1;
  proto::FromWorker answer;
  proto::StepDone& done = *answer.mutable_step_done();
  done.set_samples(local_.samples);
  done.set_loss_sum(local_.loss_sum);
  done.set_compute_s(learned_ ? learned_->compute_s : computed_s_ - began_s_);
  done.set_reduce_s(host_.now_s() - computed_s_);
  done.set_model_checksum(checksum_of_model(next.model));
  tentative_ = std::move(next);
  reply(std::move(answer));
}

// ---- measuring and keeping ----------------------------------------------------------------------

Result<learn::Evaluation> Worker::measured(const proto::Evaluate& order, double& seconds) {
  learn::Evaluation total;
  if (order.duality()) {
    for (const auto& [id, chunk] : holdings_.chunks()) {
      seconds += chunk.range.count * learner_.sample_s(chunk.range, model_.version);
    }
    SURETY_TRY(total, task_->duality_terms(model_, holdings_.chunks()));
  }
  for (const proto::ChunkRange& proto_range : order.ranges()) {
    const data::ChunkRange range = orchestrator::from_proto(proto_range);
    SURETY_TRY(const data::Chunk chunk, host_.load(range));
    std::vector<std::uint32_t> selected;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      if (data::split_of(range.first + i, split_seed_) == split_named(order.split())) {
        selected.push_back(i);
      }
    }
    seconds += static_cast<double>(selected.size()) * learner_.sample_s(range, model_.version);
    SURETY_TRY(const learn::Evaluation part, task_->evaluate(chunk.samples, selected, model_));
    total.add(part);
  }
  return total;
}

void Worker::evaluate() {
  double seconds = 0;
  const auto total = measured(order_.evaluate(), seconds);
  if (!total) return fail_with(total.error());
  wait(host_.computing_s(kMeasureShare * seconds), [this, total = *total] {
    proto::FromWorker answer;
    proto::Sums& sums = *answer.mutable_evaluated()->mutable_sums();
    sums.set_samples(total.samples);
    sums.set_loss_sum(total.loss_sum);
    sums.set_loss_square_sum(total.loss_square_sum);
    sums.set_correct(total.correct);
    sums.set_gap_sum(total.gap_sum);
    sums.set_penalty(total.penalty);
    sums.set_penalty_gap(total.penalty_gap);
    answer.mutable_evaluated()->set_seconds(host_.now_s() - began_s_);
    reply(std::move(answer));
  });
}

void Worker::switch_version() {
  wait(0, [this] {
    auto changed = task_->switch_version(model_, order_.switch_().version());
    if (!changed) return fail_with(changed.error());
    proto::FromWorker answer;
    proto::Switched& done = *answer.mutable_switched();
    done.set_parameters(changed->parameters.size());
    done.set_parent(changed->parent.size());
    done.set_model_checksum(checksum_of_model(*changed));
    tentative_ = Tentative{order_.model_iteration() + 1, std::move(*changed), false};
    reply(std::move(answer));
  });
}

void Worker::save() {
  double bytes = order_.save().model() ? learner_.model_bytes(model_.version) : 0;
  for (const auto& [id, chunk] : holdings_.chunks())
    bytes += 4.0 * static_cast<double>(chunk.state.size());
  wait(kSaveS + bytes / kDiskBytesPerS, [this] {
    const proto::Save& order = order_.save();
    proto::FromWorker answer;
    proto::Saved& saved = *answer.mutable_saved();
    if (order.model()) {
      auto file = host_.checkpoints().write(order.folder() + "/model.safetensors", model_);
      if (!file) return fail_with(file.error());
      host_.wrote_model(file->path(), checksum_of_model(model_));
      *saved.add_files() = std::move(*file);
    }
    ChunkStates states;
    for (const auto& [id, chunk] : holdings_.chunks()) {
      if (!chunk.state.empty()) states[id] = chunk.state;
    }
    if (order.chunk_state() && !holdings_.chunks().empty()) {
      auto file = host_.checkpoints().write(
          fmt::format("{}/state-{}.safetensors", order.folder(), self_), std::move(states));
      if (!file) return fail_with(file.error());
      *saved.add_files() = std::move(*file);
    }
    reply(std::move(answer));
  });
}

}  // namespace surety::sim
