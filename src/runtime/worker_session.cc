#include "runtime/worker_session.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/posix/clock.h"
#include "base/text.h"
#include "data/split.h"
#include "fabric/ports/port_message.h"
#include "fabric/schedule.h"
#include "orchestrator/messages.h"
#include "runtime/model_files.h"
#include "worker/iteration_sums.h"

namespace surety::runtime {
namespace {

using orchestrator::from_proto;

tl::unexpected<Error> superseded_error() { return fail(ErrorCode::kTimeout, "superseded"); }

// Libraries below throw (libtorch out of memory, the file system); here is the edge.
template <typename Work>
Result<proto::FromWorker> guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return fail(ErrorCode::kUnavailable, "{}", error.what());
  }
}

// No worker could do better: the model diverged, a file is missing or damaged, the disk is full. A
// peer that is gone is not fatal: the coordinator will know, and ask again without it.
bool is_fatal(const Error& error, bool blames_peer) {
  return error.code != ErrorCode::kTimeout && !blames_peer;
}

// Scales an update that was learned from a part of the samples given to its part in an average by
// samples done. Returns the share that is missing.
float weigh_by_samples(const proto::Step& order, std::uint64_t done, std::span<float> update) {
  std::uint64_t given = 0;
  for (const proto::WorkItem& item : order.items()) given += item.count();
  if (given == 0 || done == given) return 0;
  const auto share = static_cast<float>(static_cast<double>(done) / static_cast<double>(given));
  for (float& value : update) value *= share;
  return 1 - share;
}

}  // namespace

WorkerSession::WorkerSession(WorkerSessionOptions options, const proto::Welcome& welcome,
                             fabric::WakeableTransport& transport,
                             const std::atomic<bool>& superseded)
    : options_(std::move(options)),
      self_(WorkerId{welcome.worker()}),
      split_seed_(welcome.split_seed()),
      transport_(transport),
      rounds_(transport, self_),
      superseded_(&superseded) {
  for (const proto::Source& source : welcome.sources()) sources_.push_back(from_proto(source));
  if (welcome.has_validation()) sources_.push_back(from_proto(welcome.validation()));
}

void WorkerSession::rejoin(const proto::Welcome& welcome, const std::atomic<bool>& superseded) {
  self_ = WorkerId{welcome.worker()};
  superseded_ = &superseded;
  for (const auto& [worker, peer] : connections_) transport_.disconnect(peer);
  connections_.clear();
  addresses_.clear();
  rounds_.restart(self_);
  holdings_.take_back();
  session_ = 0;  // Whichever session is prepared next, it is a new one.
  task_.reset();
  tentative_.reset();
  learned_.reset();
}

std::optional<proto::FromWorker> WorkerSession::handle(const proto::ToWorker& command) {
  blamed_.reset();
  Result<proto::FromWorker> answer = guarded([&] { return carry_out(command); });
  if (!answer) {
    const Error error = std::move(answer).error();
    if (error.code == ErrorCode::kTimeout) return std::nullopt;
    answer = proto::FromWorker{};
    proto::Failed& failed = *answer->mutable_failed();
    failed.set_fault(orchestrator::fault_of(error.code));
    failed.set_message(plain_text(error.message, kMessageBytesMax));
    failed.set_fatal(is_fatal(error, blamed_.has_value()));
    failed.set_has_blamed(blamed_.has_value());
    failed.set_blamed(blamed_.value_or(WorkerId{}).value);
  }
  answer->set_sequence(command.sequence());
  return std::move(*answer);
}

void WorkerSession::idle(Duration wait) {
  // A round is never under way here; an error is a lost peer, which the next round will name.
  (void)rounds_.advance(wait);
  for (const fabric::LostPeer& lost : rounds_.take_lost()) {
    std::erase_if(connections_, [&](const auto& entry) { return entry.second == lost.peer; });
  }
}

Result<void> WorkerSession::go_on() {
  if (*superseded_) return superseded_error();
  idle(kLook);
  return {};
}

Result<proto::FromWorker> WorkerSession::carry_out(const proto::ToWorker& command) {
  const std::uint64_t sequence = command.sequence();
  const bool same_session = !command.has_prepare() || command.prepare().session() == session_;
  if (same_session && task_) settle(command.model_iteration());
  proto::FromWorker answer;
  switch (command.command_case()) {
    case proto::ToWorker::kPrepare: {
      SURETY_TRY(*answer.mutable_prepared(), prepare(sequence, command.prepare()));
      return answer;
    }
    case proto::ToWorker::kProbe: {
      SURETY_TRY(*answer.mutable_probed(), probe(sequence, command.probe()));
      return answer;
    }
    default:
      break;
  }
  if (!task_) return fail(ErrorCode::kDefect, "no session has been prepared");
  switch (command.command_case()) {
    case proto::ToWorker::kStep: {
      SURETY_TRY(*answer.mutable_step_done(), step(sequence, command.step()));
      return answer;
    }
    case proto::ToWorker::kEvaluate: {
      SURETY_TRY(*answer.mutable_evaluated(), evaluate(command.evaluate()));
      return answer;
    }
    case proto::ToWorker::kSwitch: {
      SURETY_TRY(*answer.mutable_switched(),
                 switch_version(command.model_iteration() + 1, command.switch_().version()));
      return answer;
    }
    case proto::ToWorker::kSave: {
      SURETY_TRY(*answer.mutable_saved(), save(command.save()));
      return answer;
    }
    default:
      return fail(ErrorCode::kDefect, "an unknown command: versions differ?");
  }
}

// What was tentative is the model now, or never was.
void WorkerSession::settle(std::uint64_t model_iteration) {
  if (!tentative_) return;
  if (tentative_->iteration == model_iteration) {
    model_ = std::move(tentative_->model);
    if (tentative_->from_task) task_->commit(holdings_.chunks());
    learned_.reset();
  } else if (tentative_->from_task && !learned_) {
    task_->discard();
  }
  tentative_.reset();
}

// ---- learning -----------------------------------------------------------------------------------

Result<WorkerSession::Computed> WorkerSession::local_work(const proto::Step& order,
                                                          std::span<float> update, Merge merge) {
  Time began = posix::now();
  const bool goes_on = learned_ && learned_->is_of(order);
  if (!goes_on) {
    task_->discard();  // Drops the work of an aborted iteration.
    learned_.reset();
  }
  if (order.resum()) {
    SURETY_TRY(task_->partial_model(holdings_.chunks(), update));
    return Computed{.seconds = to_seconds(posix::now() - began), .ended = posix::now()};
  }
  learn::LocalWork work{.iteration = order.iteration(),
                        .pass = order.pass(),
                        .workers = order.tasks(),
                        .tasks = order.tasks_per_node(),
                        .items = worker::items_of(order),
                        .line_search = order.line_search(),
                        .asynchronous = order.has_asynchronous(),
                        .rate = order.rate(),
                        .update_weight = order.asynchronous().weight(),
                        .enough = {},
                        .when_ready = [&began] { began = posix::now(); },
                        .merge = std::move(merge),
                        .merge_every = std::max(1u, order.asynchronous().steps())};
  if (order.compute_s_max() > 0) {
    const Time late = began + from_seconds(order.compute_s_max());
    work.enough = [late] { return posix::now() >= late; };
  }
  for (const learn::WorkItem& item : work.items) {
    if (holdings_.chunks().contains(item.chunk)) continue;
    return fail(ErrorCode::kDefect, "work on chunk {}, which is not here", item.chunk);
  }
  if (work.items.empty()) return Computed{.ended = posix::now()};
  // Who learns alone cannot lose anybody.
  if (order.averages() && (goes_on || order.members_size() > 1)) {
    if (!goes_on) learned_ = worker::LearnedWork::begin(order);
    return learn_on(std::move(work), update);
  }
  Time ended{};
  if (work.merge) {
    work.merge = [&ended, merge = std::move(work.merge)](const learn::MergePoint& point) {
      if (point.last) ended = posix::now();
      return merge(point);
    };
  }
  const auto result = task_->compute(work, model_, holdings_.chunks(), update, *superseded_);
  if (!result && *superseded_) return superseded_error();
  if (!result) return tl::unexpected(result.error());
  if (!work.merge) ended = posix::now();
  return Computed{*result, to_seconds(ended - began), ended};
}

// Local SGD, from where it was when this work was begun before. Whatever ends it early, what is
// learned by then is kept.
Result<WorkerSession::Computed> WorkerSession::learn_on(learn::LocalWork work,
                                                        std::span<float> update) {
  Time began = posix::now();
  work.when_ready = [&began] { began = posix::now(); };
  worker::LearnedWork& learned = *learned_;
  std::optional<learn::Model> begun;
  if (learned.is_begun()) learned.add_to(begun.emplace(model_).parameters);
  const learn::Model& model = begun ? *begun : model_;
  work.items = learned.items_left();
  work.continues = begun.has_value();
  Time ended{};
  bool is_over = false;  // Asynchronously: nobody takes what is learned any more.
  if (work.merge) {
    work.merge = [&, merge = std::move(work.merge)](const learn::MergePoint& at) -> Result<void> {
      learned.steps += at.steps;
      learned.trainable = at.trainable;
      if (at.last) ended = posix::now();
      is_over = is_over || !merge(at);
      return {};
    };
  }
  work.enough = [&, is_late = std::move(work.enough)] {
    return is_over || *superseded_ || (is_late && is_late());
  };
  if (begun && work.merge) {
    SURETY_TRY(work.merge({begun->parameters, learned.trainable, std::exchange(learned.steps, 0),
                           work.items.empty()}));
  }
  if (!work.items.empty()) {
    const std::atomic<bool> never{false};
    SURETY_TRY(const learn::LocalResult result,
               task_->compute(work, model, holdings_.chunks(), update, never));
    learned.result.add(result);
  }
  if (!work.merge) ended = posix::now();
  if (begun) {
    for (std::size_t i = 0; i < update.size(); ++i) {
      update[i] += begun->parameters[i] - model_.parameters[i];
    }
  }
  learned.change.assign(update.begin(), update.end());
  learned.compute_s += to_seconds(ended - began);
  if (*superseded_) return superseded_error();
  return Computed{learned.result, learned.compute_s, ended};
}

Result<proto::StepDone> WorkerSession::step(std::uint64_t sequence, const proto::Step& order) {
  if (order.has_asynchronous()) return exchange_step(sequence, order);
  // Behind the parameters: the share of the given samples that is missing, 0 to the last bit where
  // all are done; then the slopes of the line search.
  const std::size_t parameters = model_.parameters.size();
  const std::size_t slopes = order.line_search() ? learn::kLinePoints : 0;
  std::vector<float> update(parameters + 1 + slopes, 0.0f);
  const std::span<float> learned = std::span(update).first(parameters);
  float& missing = update[parameters];
  SURETY_TRY(const Computed computed, local_work(order, learned));
  const learn::LocalResult& local = computed.sums;
  if (order.averages()) missing = weigh_by_samples(order, local.samples, learned);
  std::copy_n(local.slopes.begin(), slopes, update.end() - static_cast<std::ptrdiff_t>(slopes));

  std::vector<WorkerId> members;
  for (const proto::Peer& peer : order.members()) {
    know(peer);
    members.push_back(WorkerId{peer.worker()});
  }
  const std::vector<double> shares(order.shares().begin(), order.shares().end());
  SURETY_TRY(fabric::check_shares(shares, members.size()));
  const fabric::Schedule schedule = fabric::all_reduce(members, update.size(), shares);
  SURETY_TRY(
      run_round(sequence, schedule, {order.weights().begin(), order.weights().end()}, update));

  if (missing > 0) {
    for (float& value : learned) value /= 1 - missing;
  }
  Tentative next{.iteration = order.iteration(),
                 .model = worker::next_model(order, holdings_.chunks(), model_, *task_, update),
                 .from_task = !order.resum()};
  proto::StepDone done;
  done.set_samples(local.samples);
  done.set_loss_sum(local.loss_sum);
  done.set_compute_s(computed.seconds);
  done.set_reduce_s(to_seconds(posix::now() - computed.ended));
  done.set_model_checksum(model_checksum(next.model));
  if (const auto seen = sum_watch_.seen()) *done.mutable_port() = fabric::to_proto(*seen);
  for (const fabric::Transfer& transfer : schedule.transfers) {
    if (transfer.from == self_) {
      done.set_bytes_sent(done.bytes_sent() + transfer.slice.count * sizeof(float));
    }
  }
  tentative_ = std::move(next);
  return done;
}

Result<proto::Switched> WorkerSession::switch_version(std::uint64_t iteration,
                                                      const std::string& version) {
  SURETY_TRY(learn::Model changed, task_->switch_version(model_, version));
  proto::Switched done;
  done.set_parameters(changed.parameters.size());
  done.set_parent(changed.parent.size());
  done.set_model_checksum(model_checksum(changed));
  tentative_ = Tentative{.iteration = iteration, .model = std::move(changed), .from_task = false};
  return done;
}

// ---- measuring ----------------------------------------------------------------------------------

Result<proto::Evaluated> WorkerSession::evaluate(const proto::Evaluate& order) {
  const Time began = posix::now();
  learn::Evaluation total;
  if (order.duality()) {
    SURETY_TRY(total, task_->duality_terms(model_, holdings_.chunks()));
  }
  for (const proto::ChunkRange& range : order.ranges()) {
    if (*superseded_) return superseded_error();
    SURETY_TRY(const learn::Evaluation part, evaluate_range(order, from_proto(range)));
    total.add(part);
  }
  proto::Evaluated done;
  proto::Sums& sums = *done.mutable_sums();
  sums.set_samples(total.samples);
  sums.set_loss_sum(total.loss_sum);
  sums.set_loss_square_sum(total.loss_square_sum);
  sums.set_correct(total.correct);
  sums.set_gap_sum(total.gap_sum);
  sums.set_penalty(total.penalty);
  sums.set_penalty_gap(total.penalty_gap);
  done.set_seconds(to_seconds(posix::now() - began));
  return done;
}

Result<learn::Evaluation> WorkerSession::evaluate_range(const proto::Evaluate& order,
                                                        const data::ChunkRange& range) {
  if (!validation_chunks_.contains(range.id)) {
    SURETY_TRY(std::vector<data::Chunk> loaded, read_chunks({range}));
    validation_chunks_.emplace(range.id, std::move(loaded.front()));
  }
  std::vector<std::uint32_t> selected;
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const data::Split split = data::split_of(range.first + i, split_seed_);
    if (static_cast<std::uint32_t>(split) == order.split()) selected.push_back(i);
  }
  return task_->evaluate(validation_chunks_[range.id].samples, selected, model_);
}

// ---- keeping ------------------------------------------------------------------------------------

Result<proto::Saved> WorkerSession::save(const proto::Save& order) {
  const std::filesystem::path folder = order.folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(ErrorCode::kUnavailable, "{}: {}", folder.string(), error.message());
  proto::Saved saved;
  if (order.model()) {
    SURETY_TRY(*saved.add_files(), save_model(folder / "model.safetensors", model_));
  }
  if (order.chunk_state() && !holdings_.chunks().empty()) {
    const std::string name = fmt::format("state-{}.safetensors", self_);
    SURETY_TRY(*saved.add_files(), save_chunk_state(folder / name, holdings_.chunks()));
  }
  return saved;
}

}  // namespace surety::runtime
