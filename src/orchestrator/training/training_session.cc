#include "orchestrator/training/training_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/words.h"
#include "orchestrator/session/answer_check.h"
#include "orchestrator/session/asynchronous.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

elastic::PaceOptions pace_of(const SessionSpec& spec) {
  // Whether workers wait for each other after the only update of an iteration.
  const bool waits = spec.cocoa || spec.mode.mode == job::TrainMode::kSync;
  return {.policies = spec.policies,
          .whole_passes = spec.cocoa,
          .batch = spec.task.batch(),
          // The steps of each worker in an iteration, in batches.
          .local_steps = spec.task.local_steps() * (waits ? 1 : spec.mode.updates),
          .on_resize = spec.on_resize,
          .seed = spec.task.seed()};
}

// The worker that waits least in the sum is the slowest one. Its waiting time is the time of the
// sum itself.
elastic::IterationTimes times_of(const Answers& answers, std::size_t workers, std::size_t chunks) {
  elastic::IterationTimes seen{.workers = workers, .chunks = chunks};
  seen.sync_s = answers.begin()->second.step_done().reduce_s();
  for (const auto& [worker, answer] : answers) {
    seen.compute_s = std::max(seen.compute_s, answer.step_done().compute_s());
    seen.sync_s = std::min(seen.sync_s, answer.step_done().reduce_s());
  }
  return seen;
}

proto::Sums sums_of(const Answers& answers) {
  proto::Sums total;
  for (const auto& [worker, answer] : answers) protocol::add_to(total, answer.evaluated().sums());
  return total;
}

std::vector<proto::SavedFile> files_of(const Answers& answers) {
  std::vector<proto::SavedFile> files;
  for (const auto& [worker, answer] : answers) {
    files.insert(files.end(), answer.saved().files().begin(), answer.saved().files().end());
  }
  return files;
}

// A remark about the pass after this number of passes.
std::string in_pass(std::uint32_t passes, const std::string& what) {
  return fmt::format("pass {}: {}", passes + 1, what);
}

}  // namespace

TrainingSession::TrainingSession(std::uint32_t number, SessionSpec spec)
    : number_(number),
      spec_(std::move(spec)),
      chunks_(std::move(spec_.chunks), std::move(spec_.state_files)),
      model_(spec_.saved ? spec_.saved->version : "full"),
      pace_(pace_of(spec_)),
      pass_(spec_.first_pass) {}

// ---- workers ------------------------------------------------------------------------------------

void TrainingSession::enlist(const Roster& roster) {
  std::size_t taking_part = chunks_.directory().staying();
  for (const WorkerId worker : roster.staying()) {
    if (chunks_.has_joined(worker)) continue;
    if (spec_.workers_max && taking_part >= *spec_.workers_max) return;
    chunks_.join(worker, roster.chunks_in_memory(worker));
    moves_.require_prepare();
    ++taking_part;
  }
}

bool TrainingSession::leave(WorkerId worker) {
  if (!chunks_.leave(worker)) return false;
  moves_.require_prepare();
  return true;
}

bool TrainingSession::lose(WorkerId worker) {
  pace_.forget(worker);
  model_.forget(worker);
  if (!chunks_.lose(worker)) return false;
  moves_.lose(worker);
  if (spec_.cocoa) model_.lose_part();
  return true;
}

// ---- the next step ------------------------------------------------------------------------------

void TrainingSession::begin_pass(const PassOrder& order, double now_s) {
  if (order.reference_workers) pace_.set_reference_workers(*order.reference_workers);
  // A pass of CoCoA is one iteration, even if it was cut short.
  chunks_.begin_pass(spec_.cocoa);
  pass_.begin(now_s);
}

SessionStep TrainingSession::next(const Order& order, const Roster& roster, FabricView& fabric,
                                  double now_s) {
  const std::vector<WorkerId> members = model_.holders(chunks_.directory().workers());
  if (moves_.is_prepare_due()) {
    if (chunks_.directory().staying() == 0) return {};
    if (model_.exists() && members.empty()) {
      return TrainerEvent{ModelLost{"no worker holds the model any more"}};
    }
    moves_.begin_prepare();
    if (moves_.pending().empty()) decide_moves();
    return prepare(roster);
  }
  if (model_.needs_sum()) return sum_anew(members, roster);
  if (std::holds_alternative<BeginOrder>(order)) return TrainerEvent{Begun{}};
  if (std::holds_alternative<PassOrder>(order)) return train(members, roster, fabric, now_s);
  if (const auto* evaluate = std::get_if<EvaluateOrder>(&order)) {
    return BarrierRequest{BarrierKind::kEvaluate, commands_of(*evaluate, members)};
  }
  if (const auto* change = std::get_if<SwitchOrder>(&order)) {
    return BarrierRequest{BarrierKind::kSwitch, commands_of(*change, members)};
  }
  // A checkpoint's metric must be measured on the model in it. If a worker of a linear model was
  // lost since the measurement, its samples' part of the model was computed again from the
  // checkpoint before, so the model is another one.
  if (model_.is_metric_stale()) {
    return TrainerEvent{ModelLost{"a worker was lost before the measured model was saved"}};
  }
  return BarrierRequest{BarrierKind::kSave,
                        commands_of(std::get<SaveOrder>(order), members, spec_.cocoa)};
}

void TrainingSession::decide_moves() {
  const elastic::Directory& directory = chunks_.directory();
  const bool shuffles = model_.exists() && directory.samples_left() == chunks_.samples();
  elastic::BoundaryPolicy policy =
      pace_.boundary(directory.workers(), chunks_.count(), shuffles, pass_.passes());
  policy.working = moves_.working();
  const elastic::Boundary boundary = chunks_.boundary(policy);
  moves_.grant(boundary, model_.iteration());
  const std::size_t moved = boundary.grants.size() - boundary.shuffled;
  if (model_.exists() && moved > 0) {
    remarks_.push_back(in_pass(
        pass_.passes(), fmt::format("{} moved: {}", counted(moved, "chunk"), boundary.reason)));
  }
}

BarrierRequest TrainingSession::prepare(const Roster& roster) const {
  const std::vector<WorkerId> workers = chunks_.directory().workers();
  proto::Prepare common;
  common.set_session(number_);
  *common.mutable_task() = spec_.task;
  *common.mutable_model() = model_.source(workers, spec_.saved, spec_.task.outer_momentum() > 0);
  for (const proto::Peer& peer : roster.peers()) *common.add_peers() = peer;
  BarrierRequest ask{BarrierKind::kPrepare};
  for (const WorkerId worker : workers) {
    proto::Prepare& prepare =
        *ask.commands.emplace_back(Command{worker, {}}).message.mutable_prepare();
    prepare = common;
    chunks_.fill(worker, moves_.pending(), prepare);
  }
  return ask;
}

// Chunks may move before each iteration, even if membership has not changed.
SessionStep TrainingSession::train(const std::vector<WorkerId>& members, const Roster& roster,
                                   FabricView& fabric, double now_s) {
  const elastic::Directory& directory = chunks_.directory();
  const bool is_over = directory.is_pass_finished() || (spec_.cocoa && pass_.samples() > 0);
  if (is_over) {
    return TrainerEvent{pass_.finish(static_cast<std::uint32_t>(directory.staying()), now_s)};
  }
  if (moves_.is_balance_due(pace_.moves_chunks(), directory.staying(), model_.iteration())) {
    decide_moves();
    if (!moves_.pending().empty()) return prepare(roster);
  }
  return step(members, roster, fabric);
}

StepFacts TrainingSession::facts(const std::vector<WorkerId>& members, const Roster& roster) {
  StepFacts facts{.iteration = model_.iteration() + 1,
                  .pass = pass_.passes(),
                  .pass_samples = chunks_.samples(),
                  .pass_done = chunks_.pass_done(),
                  .rate = pace_.rate()};
  for (const WorkerId worker : members) facts.members.push_back(roster.peer(worker));
  if (const auto remark = pace_.take_remark()) remarks_.push_back(in_pass(facts.pass, *remark));
  return facts;
}

BarrierRequest TrainingSession::step(const std::vector<WorkerId>& members, const Roster& roster,
                                     FabricView& fabric) {
  const bool asynchronous = is_asynchronous(spec_.mode, members.size());
  // Each worker compensates a cut in its first local work (learn/torch/compensation.h). The mean of
  // their changes is the compensation of the model. An exchange would merge the first worker's
  // change alone, with its small weight. Workers that then start from this model would not
  // compensate any more.
  const bool compensates = asynchronous && !spec_.cocoa && model_.may_be_cut();
  const std::uint32_t parts = compensates ? spec_.mode.updates : 1;  // One update of each worker.
  work_.begin(chunks_.directory().work(pace_.quotas(members, parts)), chunks_.directory());
  StepFacts facts = this->facts(members, roster);
  facts.compute_s_max = pace_.cut_off_s(work_.given());
  facts.is_synchronous = !asynchronous || compensates;
  if (!asynchronous) {
    facts.shares = fabric.shares_of_sum(members);
    for (const std::string& what : fabric.take_remarks())
      remarks_.push_back(in_pass(facts.pass, what));
  }
  const proto::Step common = step_of(spec_, facts, work_.given());
  BarrierRequest ask{BarrierKind::kStep};
  for (const WorkerId worker : members) {
    proto::Step& step = *ask.commands.emplace_back(Command{worker, {}}).message.mutable_step();
    step = common;
    const auto work = work_.given().find(worker);
    if (work == work_.given().end()) continue;
    for (const elastic::Work& piece : work->second) {
      proto::WorkItem& item = *step.add_items();
      item.set_chunk(chunks_.range_of(piece.chunk).id.value);
      item.set_first(piece.first);
      item.set_count(piece.count);
    }
  }
  return ask;
}

BarrierRequest TrainingSession::sum_anew(const std::vector<WorkerId>& members,
                                         const Roster& roster) {
  const proto::Step common = sum_again(spec_, facts(members, roster));
  BarrierRequest ask{BarrierKind::kResum};
  for (const WorkerId worker : members) {
    *ask.commands.emplace_back(Command{worker, {}}).message.mutable_step() = common;
  }
  return ask;
}

// ---- answers ------------------------------------------------------------------------------------

std::optional<TrainerEvent> TrainingSession::take_answers(const Barrier& barrier,
                                                          const CurrentOrder& order, Roster& roster,
                                                          ClusterView& view, double now_s) {
  const Answers& answers = barrier.answers();
  const double seconds = now_s - order.began_s;
  switch (barrier.kind()) {
    case BarrierKind::kPrepare:
      return on_prepared(answers, roster);
    case BarrierKind::kStep:
      return on_stepped(answers, view, now_s);
    case BarrierKind::kResum:
      if (const auto agreed = model_.agree(answers); !agreed) return FatalError{agreed.error()};
      model_.commit_sum();
      return std::nullopt;
    case BarrierKind::kEvaluate: {
      const auto& asked = std::get<EvaluateOrder>(order.what);
      if (auto wrong = wrong_in_evaluated(asked, answers, chunks_.samples())) {
        return FatalError{{ErrorCode::kUnavailable, *std::move(wrong)}};
      }
      const proto::Sums sums = sums_of(answers);
      if (!std::isfinite(sums.loss_sum() + sums.loss_square_sum() + sums.gap_sum() +
                         sums.penalty())) {
        return FatalError{{ErrorCode::kDiverged, "the loss is not a finite number any more"}};
      }
      model_.note_measured();
      return EvaluationFinished{sums, seconds, model_.checksum()};
    }
    case BarrierKind::kSave: {
      const auto& asked = std::get<SaveOrder>(order.what);
      if (auto wrong = wrong_in_saved(asked, answers)) {
        return FatalError{{ErrorCode::kUnavailable, *std::move(wrong)}};
      }
      SaveFinished saved{.folder = asked.folder,
                         .files = files_of(answers),
                         .model_iteration = model_.iteration(),
                         .model_checksum = model_.checksum()};
      for (const proto::SavedFile& file : saved.files) chunks_.note_saved(file);
      return saved;
    }
    case BarrierKind::kSwitch:
      if (const auto agreed = model_.agree(answers); !agreed) return FatalError{agreed.error()};
      model_.commit_switch(std::get<SwitchOrder>(order.what).version,
                           sizes_of(answers.begin()->second).value());
      pace_.on_model_changed();
      return SwitchFinished{seconds};
    case BarrierKind::kProbe:
      break;  // No session takes part in it.
  }
  return std::nullopt;
}

std::optional<TrainerEvent> TrainingSession::on_prepared(const Answers& answers, Roster& roster) {
  if (const auto agreed = model_.agree(answers); !agreed) return FatalError{agreed.error()};
  if (!model_.exists() && spec_.saved && spec_.saved->checksum != model_.checksum()) {
    return CheckpointUnreadable{
        {ErrorCode::kCorrupt,
         fmt::format("{} contains another model than the one that was saved", spec_.saved->path)}};
  }
  for (const auto& [worker, answer] : answers) {
    // A worker without chunks may have left since it answered.
    if (!roster.contains(worker)) continue;
    model_.hand_to(worker);
    roster.forget_samples(worker);  // From now on the directory knows its chunks.
  }
  chunks_.confirm(moves_.confirm());
  model_.begin(sizes_of(answers.begin()->second).value());
  return std::nullopt;
}

// Samples that a worker did not reach stay for a later iteration. CoCoA, which can use any part of
// a worker's samples, begins the next pass instead.
std::optional<TrainerEvent> TrainingSession::on_stepped(const Answers& answers, ClusterView& view,
                                                        double now_s) {
  const auto done = work_.done(answers);
  if (!done) return FatalError{done.error()};
  if (const auto agreed = model_.agree(answers); !agreed) return FatalError{agreed.error()};
  model_.commit_step(spec_.average_passes.has_value());
  std::uint64_t given = 0;
  std::uint64_t left = 0;
  for (const auto& [worker, work] : work_.given()) {
    const proto::StepDone& answer = answers.at(worker).step_done();
    pace_.observe(worker, samples_of(work), answer.samples(), answer.compute_s());
    given += samples_of(work);
    left += samples_of(work) - answer.samples();
  }
  chunks_.commit(*done);
  pace_.on_committed();
  if (left > 0) {
    remarks_.push_back(
        in_pass(pass_.passes(),
                fmt::format("late workers were stopped with {} of {} samples left", left, given)));
  }
  const auto limit = view.limits.observe(times_of(answers, work_.given().size(), chunks_.count()));
  if (limit) remarks_.push_back(*limit);
  work_.commit();
  const auto works = [this](const auto& answer) { return !moves_.rests(answer.first); };
  pass_.add(answers, static_cast<std::uint32_t>(std::ranges::count_if(answers, works)), now_s);
  for (const auto& [worker, answer] : answers) view.fabric.observe(worker, answer.step_done());
  for (const std::string& what : view.fabric.take_remarks())
    remarks_.push_back(in_pass(pass_.passes(), what));
  return std::nullopt;
}

void TrainingSession::on_aborted(BarrierKind kind) {
  if (kind == BarrierKind::kPrepare) moves_.require_prepare();
  if (kind != BarrierKind::kStep) return;
  pass_.note_aborted();
  work_.abort(!spec_.cocoa);  // CoCoA's workers discard what they learned.
}

// ---- views --------------------------------------------------------------------------------------

bool TrainingSession::reads_checkpoint() const {
  return (!model_.exists() && spec_.saved) || chunks_.read_state(moves_.pending());
}

Progress TrainingSession::progress() const {
  return {.version = model_.version(),
          .iteration = model_.iteration(),
          .passes = pass_.passes(),
          .pass_done = chunks_.pass_done()};
}

}  // namespace surety::orchestrator
