#include "orchestrator/history/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "base/words.h"
#include "orchestrator/history/attempt_number.h"
#include "orchestrator/history/certified_result.h"
#include "orchestrator/history/departure_kind.h"
#include "orchestrator/history/earlier_record.h"
#include "orchestrator/history/metric.h"
#include "orchestrator/history/moved_run.h"
#include "plan/files/plan_io.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

using certificate::EventKind;

bool is_training(std::optional<RunPhase> phase) {
  return phase == RunPhase::kTrain || phase == RunPhase::kCertify;
}

// Every present node costs money from its join to its departure, in every phase. No node costs
// money while the run is paused. If the coordinator crashed, its workers waited for the next one,
// but at most for `cluster.wait`. Once the result is certified, the workers end, and the result is
// only checked: this takes no time of the promise.
void charge_until(RunState& state, const proto::JournalRecord& record,
                  const job::ClusterSpec& cluster) {
  const double now_s = record.run_s();
  if (state.record.certified) {
    state.time_s = std::max(state.time_s, now_s);
    return;
  }
  const double seconds = std::max(0.0, now_s - state.time_s);
  const double paid_s = state.pause                ? 0
                        : record.has_run_resumed() ? std::min(seconds, cluster.wait_s)
                                                   : seconds;
  const double cost = paid_s * price_per_s(state, cluster);
  certificate::RunRecord& sums = state.record;
  (is_training(state.phase) ? sums.training_cost : sums.profile_cost) += cost;
  if (is_training(state.phase)) state.attempts.unaccounted_cost += cost;
  (is_training(state.phase) ? sums.training_seconds : sums.profile_seconds) += seconds;
  state.time_s = std::max(state.time_s, now_s);
  sums.run_seconds = state.time_s;
}

// The cost of a failed attempt belongs to this attempt, not to the first pass of the next one.
void account(RunState& state, const proto::JournalRecord& record) {
  AttemptHistory& attempts = state.attempts;
  const std::optional<std::uint32_t> attempt = attempt_spent_on(record, attempts.newest);
  // Attempts begin one after the other from 1, so any other number is invalid.
  const auto is_valid = [&](std::uint32_t number) {
    return number > 0 && number <= attempts.begun.size() + 1;
  };
  if (!attempt || !is_valid(*attempt)) return;
  std::vector<double>& costs = state.record.attempt_costs;
  if (costs.size() < *attempt) costs.resize(*attempt);
  costs[*attempt - 1] += std::exchange(attempts.unaccounted_cost, 0);
  const std::uint32_t newest =
      record.has_attempt_began() ? record.attempt_began().attempt() : *attempt;
  if (is_valid(newest)) attempts.newest = newest;
}

void note(RunState& state, EventKind kind, std::string text) {
  state.record.timeline.push_back({state.time_s, kind, std::move(text),
                                   static_cast<std::uint32_t>(state.workers.present.size())});
}

Result<void> begin(RunState& state, const proto::RunBegan& fact) {
  RunBeginning& beginning = state.beginning;
  if (fact.has_earlier()) {
    SURETY_TRY(beginning.earlier, earlier_of(fact.earlier()));
  }
  if (!fact.library().empty()) beginning.library = fact.library();
  const std::optional<RunMode> mode = run_mode_named(fact.mode());
  if (!mode) {
    return fail(ErrorCode::kCorrupt, "mode: found {}, expected run, profile or train",
                plain_text(fact.mode(), kMessageBytesMax));
  }
  beginning.mode = *mode;
  beginning.job_text = fact.job_text();
  beginning.started_unix_s = fact.started_unix_s();
  state.record.run = fact.run();
  state.record.started = fact.started();
  state.record.deadline_s = fact.deadline_s();
  for (const auto& [key, value] : fact.versions()) state.record.versions[key] = value;
  for (const proto::Source& source : fact.sources())
    beginning.sources.push_back(protocol::from_proto(source));
  if (fact.has_validation()) beginning.sources.push_back(protocol::from_proto(fact.validation()));
  if (fact.has_negative_label()) beginning.negative_label = fact.negative_label();
  if (beginning.negative_label != -1 && beginning.negative_label != 0) {
    return fail(ErrorCode::kCorrupt, "negative_label: found {}, expected -1 or 0",
                beginning.negative_label);
  }
  if (fact.has_signer()) {
    auto signer = record::parse_verifier(fact.signer());
    if (!signer || signer->kind != record::KeyKind::kLog) {
      return fail(ErrorCode::kCorrupt, "signer: found {}, expected the key of a record",
                  plain_text(fact.signer(), kMessageBytesMax));
    }
    beginning.signer = std::move(*signer);
  }
  beginning.feature_names = {fact.feature_names().begin(), fact.feature_names().end()};
  state.record.warnings = {fact.warnings().begin(), fact.warnings().end()};
  // The journal does not have the prices, but the job has them.
  for (data::SourceInfo& source : beginning.sources) {
    const auto price = beginning.data_prices.find(source.name);
    if (price != beginning.data_prices.end()) source.price = price->second;
    state.record.data.push_back({.name = source.name,
                                 .samples = source.samples,
                                 .content = fmt::format("{:016x}", source.content.value_or(0))});
  }
  return {};
}

Result<void> resume(RunState& state, const proto::RunResumed& fact) {
  if (fact.term() <= state.term) {
    return fail(ErrorCode::kCorrupt, "coordinator {} resumed the run after coordinator {}",
                fact.term(), state.term);
  }
  state.term = fact.term();
  state.pause.reset();
  // Workers that are still running call again, and then get another id.
  state.workers.present.clear();
  state.workers.joined_by_itself_away = state.workers.joined_by_itself.size();
  state.workers.joined_by_itself.clear();
  state.profile_runs.unfinished = {};
  state.profile_runs.first_join_s.reset();
  note(state, EventKind::kPhase, "resumed from the journal");
  return {};
}

Result<void> enter_phase(RunState& state, const std::string& name) {
  const std::optional<RunPhase> phase = value_named(certificate::kRunPhaseNames, name);
  if (!phase) {
    return fail(ErrorCode::kCorrupt, "phase: found {}, expected {}",
                plain_text(name, kMessageBytesMax), expected_names(certificate::kRunPhaseNames));
  }
  if (phase == RunPhase::kTrain && !state.training_start_s) state.training_start_s = state.time_s;
  // The time of a run that was resumed contains its pause.
  if (phase == RunPhase::kProfile && state.term == 1) {
    note_start(state.profile_runs, state.time_s, state.workers.present.size());
  }
  if (phase == RunPhase::kPlan) state.cost_before_plan = state.record.profile_cost;
  state.phase = phase;
  note(state, EventKind::kPhase, name);
  return {};
}

Result<void> join(RunState& state, const proto::WorkerJoined& fact,
                  const job::ClusterSpec& cluster) {
  const job::NodeTypeSpec* type = cluster.find(fact.node_type());
  if (type == nullptr) {
    return fail(ErrorCode::kCorrupt, "worker {} joined as {}, which is not a node type of the job",
                fact.worker(), fact.node_type());
  }
  // The time of a run that was resumed contains its pause.
  if (!state.profile_runs.first_join_s && state.term == 1) {
    state.profile_runs.first_join_s = state.time_s;
  }
  state.workers.present[WorkerId{fact.worker()}] = type->name;
  if (fact.joined_by_itself()) state.workers.joined_by_itself.insert(WorkerId{fact.worker()});
  const std::string& invitation = fact.invitation();
  if (!invitation.empty()) state.workers.invited[WorkerId{fact.worker()}] = invitation;
  state.workers.last_id = std::max(state.workers.last_id, fact.worker());
  const std::string kind = cluster.nodes.size() > 1 ? fmt::format(" ({})", type->name) : "";
  note(state, EventKind::kJoin,
       fmt::format("worker {}{} joined from {} (pid {}{})", fact.worker(), kind, fact.host(),
                   fact.pid(), invitation.empty() ? "" : ", invited as " + invitation));
  return {};
}

Result<void> part(RunState& state, const proto::WorkerGone& fact) {
  const std::optional<DepartureKind> how = value_named(kDepartureKindNames, fact.kind());
  if (!how) {
    return fail(ErrorCode::kCorrupt, "worker {} is gone: found {}, expected {}", fact.worker(),
                plain_text(fact.kind(), kMessageBytesMax), expected_names(kDepartureKindNames));
  }
  state.workers.present.erase(WorkerId{fact.worker()});
  state.workers.joined_by_itself.erase(WorkerId{fact.worker()});
  const bool was_lost = how == DepartureKind::kLost;
  note(state, was_lost ? EventKind::kLost : EventKind::kLeave,
       fmt::format("worker {} {}: {}", fact.worker(), was_lost ? "was lost" : "left",
                   fact.reason()));
  return {};
}

// Passes of an attempt that went back to a checkpoint are replaced from this one on.
void drop_replaced(std::vector<RecordedPass>& passes, const proto::PassDone& by) {
  std::erase_if(passes, [&](const RecordedPass& pass) {
    return attempt_of(pass.done) == attempt_of(by) && pass.done.pass() >= by.pass();
  });
}

void measure(RunState& state, const proto::PassDone& fact) {
  const double end_s = state.time_s - state.training_start_s.value_or(0);
  state.record.measurements.push_back({end_s, fact.pass(), fact.version(), fact.metric(),
                                       fact.metric_se(), state.record.training_cost, fact.workers(),
                                       attempt_of(fact)});
  drop_replaced(state.passes, fact);
  state.passes.push_back({.done = fact, .end_s = end_s, .cost = state.record.training_cost});
}

// If both are equal, the later one is kept: it has learned more, and its evaluation was not the
// luckiest of several.
void keep_better(std::optional<proto::CheckpointCommitted>& best,
                 const proto::CheckpointCommitted& other, plan::Metric metric) {
  // A metric that is not a number is neither better nor equal.
  if (!best || is_better(metric, other.metric(), best->metric()) ||
      other.metric() == best->metric()) {
    best = other;
  }
}

void commit_checkpoint(RunState& state, const proto::CheckpointCommitted& fact,
                       plan::Metric metric) {
  state.checkpoints.push_back(fact);
  keep_better(state.best_checkpoint, fact, metric);
  if (fact.has_attempt()) state.attempts.checkpoints[fact.attempt()] = fact;
  while (state.checkpoints.size() > kCheckpointsKept) {
    state.checkpoints.erase(state.checkpoints.begin());
  }
}

void begin_attempt(RunState& state, const proto::AttemptBegan& fact) {
  // An attempt that was interrupted in its first pass begins again; earlier measurements stay.
  const auto before = std::ranges::find(state.attempts.begun, fact.attempt(),
                                        [](const auto& one) { return one.attempt(); });
  if (before == state.attempts.begun.end()) {
    state.attempts.begun.push_back(fact);
  } else {
    const proto::AttemptBegan first = std::exchange(*before, fact);
    if (!(fact.untrained_metric() > 0) && first.has_untrained_metric())
      before->set_untrained_metric(first.untrained_metric());
  }
  note(state, EventKind::kAttempt, fact.reason());
}

void end_attempt(RunState& state, const proto::AttemptEnded& fact) {
  state.attempts.ended.insert(fact.attempt());
  if (fact.did_not_learn()) state.attempts.failed.insert(fact.attempt());
  state.attempts.checkpoints.erase(fact.attempt());
  note(state, EventKind::kAttempt,
       fmt::format("attempt {} has ended: {}", fact.attempt(), fact.reason()));
}

void state_promise(RunState& state, const proto::PromiseStated& fact) {
  state.record.stated = {state.time_s, fact.probability(), fact.probability_lower(),
                         fact.cost_mean(), fact.argument()};
  note(state, EventKind::kPromise,
       fmt::format("the promise is stated, with a probability of {}: {}",
                   percent(std::min(fact.probability(), 0.999)), fact.argument()));
}

Result<void> refuse_promise(RunState& state, const proto::PromiseRefused& fact) {
  SURETY_TRY(const plan::Decision decision,
             plan::decision_from_json("journal", fact.decision_json()));
  const auto* refusal = std::get_if<plan::Infeasible>(&decision);
  if (refusal == nullptr) {
    return fail(ErrorCode::kCorrupt, "the journal's refusal: found a plan, expected a refusal");
  }
  state.record.refused = {state.time_s, *refusal};
  note(state, EventKind::kPromise,
       fmt::format("the promise is refused, and training continues: {}", refusal->reason));
  return {};
}

Result<void> drop_checkpoint(RunState& state, const proto::CheckpointDropped& fact,
                             plan::Metric metric) {
  const auto is_it = [&](const std::string& folder) {
    return is_same_checkpoint(folder, fact.folder());
  };
  std::erase_if(state.checkpoints,
                [&](const auto& checkpoint) { return is_it(checkpoint.folder()); });
  std::erase_if(state.attempts.checkpoints,
                [&](const auto& entry) { return is_it(entry.second.folder()); });
  // An attempt goes back to its newest remaining checkpoint.
  for (const proto::CheckpointCommitted& left : state.checkpoints) {
    if (!left.has_attempt() || state.attempts.ended.contains(left.attempt())) continue;
    proto::CheckpointCommitted& newest = state.attempts.checkpoints[left.attempt()];
    if (left.pass() >= newest.pass()) newest = left;
  }
  if (state.best_checkpoint && is_it(state.best_checkpoint->folder())) {
    state.best_checkpoint.reset();
    const auto consider = [&](const proto::CheckpointCommitted& left) {
      keep_better(state.best_checkpoint, left, metric);
    };
    for (const proto::CheckpointCommitted& left : state.checkpoints) consider(left);
    for (const auto& [attempt, left] : state.attempts.checkpoints) consider(left);
  }
  const auto forget_stop = [&] {
    state.stop.reset();
    state.record.stop_reason.clear();
    state.record.enough.reset();
  };
  // A run that stopped because that model met the target no longer counts as having met it.
  const bool met = state.stop && state.stop->target_met();
  if (met && is_it(state.stop->checkpoint())) forget_stop();
  // Without its model, a certified result is worth nothing. If no other checkpoint can be
  // certified, training continues.
  std::optional<certificate::Certified>& certified = state.record.certified;
  if (certified && is_it(certified->checkpoint)) {
    certified.reset();
    if (!state.best_checkpoint) forget_stop();
  }
  note(state, EventKind::kCheckpoint,
       fmt::format("{} is abandoned: {}", fact.folder(), fact.reason()));
  return {};
}

Result<void> choose_plan(RunState& state, const std::string& json) {
  SURETY_TRY(plan::Decision decision, plan::decision_from_json("journal", json));
  // The planner takes time, and the workers are paid meanwhile: it counts from its beginning.
  if (state.phase != RunPhase::kPlan) state.cost_before_plan = state.record.profile_cost;
  if (auto* plan = std::get_if<plan::Plan>(&decision)) {
    state.record.data_cost = 0;
    for (const auto& [name, price] : state.beginning.data_prices) {
      if (uses_data(*plan, name)) state.record.data_cost += price;
    }
    state.record.plan = std::move(*plan);
  }
  if (auto* infeasible = std::get_if<plan::Infeasible>(&decision)) {
    state.record.infeasible = std::move(*infeasible);
  }
  return {};
}

void stop(RunState& state, const proto::RunStopped& fact) {
  state.stop = fact;
  state.record.stop_reason = fact.reason();
  state.record.enough = fact.enough().empty() ? std::nullopt : std::optional(fact.enough());
  note(state, EventKind::kStop, fact.reason());
}

}  // namespace

bool uses_data(const plan::Plan& plan, const std::string& name) {
  return plan.data.empty() || std::ranges::find(plan.data, name) != plan.data.end();
}

RunState initial_state(const job::Job& job) {
  RunState state;
  state.record.job = job.name;
  state.record.promise = job.promise;
  for (const job::DataSpec& data : job.data) {
    state.beginning.data_prices[data.name] = data.price;
    state.record.data_cost += data.price;
  }
  return state;
}

std::string identity(const RunState& state) {
  return fmt::format("{} of {:.6f}", state.record.run, state.beginning.started_unix_s);
}

std::vector<plan::PassSeen> history_until(const RunState& state, std::uint32_t pass,
                                          plan::Metric metric) {
  std::vector<plan::PassSeen> history;
  for (const RecordedPass& recorded : state.passes) {
    const proto::PassDone& done = recorded.done;
    if (done.pass() > pass) break;
    history.push_back({.block = done.block(),
                       .seconds = recorded.end_s,
                       .pass_s = done.seconds() + done.eval_seconds(),
                       .metric = for_planner(metric, done.metric()),
                       .metric_se = done.metric_se()});
  }
  return history;
}

double price_per_s(const RunState& state, const job::ClusterSpec& cluster) {
  double sum = 0;
  for (const auto& [worker, type] : state.workers.present) sum += cluster.find(type)->price_per_s;
  return sum;
}

bool is_paused_by_user(const RunState& state) {
  return state.pause && !state.end && state.pause->requested_by_user();
}

bool awaits_second_measurement(const RunState& state) {
  const auto& certified = state.record.certified;
  return !state.end && certified && !certificate::has_second_outcome(*certified);
}

std::set<std::string> kept_checkpoints(const RunState& state) {
  std::set<std::string> folders;
  for (const auto& checkpoint : state.checkpoints) folders.insert(checkpoint.folder());
  for (const auto& [attempt, checkpoint] : state.attempts.checkpoints) {
    folders.insert(checkpoint.folder());
  }
  if (state.best_checkpoint) folders.insert(state.best_checkpoint->folder());
  return folders;
}

bool is_better(plan::Metric metric, double a, double b) {
  return metric == plan::Metric::kAccuracy ? a > b : a < b;
}

Result<void> apply(RunState& state, const proto::JournalRecord& record,
                   const job::ClusterSpec& cluster, plan::Metric metric) {
  if (state.end) return fail(ErrorCode::kCorrupt, "a record after the end of the run");
  charge_until(state, record, cluster);
  account(state, record);
  using Fact = proto::JournalRecord;
  switch (record.fact_case()) {
    case Fact::kRunBegan:
      return begin(state, record.run_began());
    case Fact::kRunResumed:
      return resume(state, record.run_resumed());
    case Fact::kPhaseBegan:
      return enter_phase(state, record.phase_began().phase());
    case Fact::kWorkerJoined:
      return join(state, record.worker_joined(), cluster);
    case Fact::kWorkerGone:
      return part(state, record.worker_gone());
    case Fact::kCurvePoint:
    case Fact::kSwitchPoint:
    case Fact::kNodeSpeed:
    case Fact::kLinkRate:
    case Fact::kProfileRunDone:
      add_measurement(state.profile_runs, record, state.time_s);
      break;
    case Fact::kPlanChosen:
      return choose_plan(state, record.plan_chosen().decision_json());
    case Fact::kPassDone:
      measure(state, record.pass_done());
      break;
    case Fact::kVersionSwitched:
      note(state, EventKind::kSwitch,
           fmt::format("{} -> {}: {}", record.version_switched().from(),
                       record.version_switched().to(), record.version_switched().reason()));
      break;
    case Fact::kCheckpointCommitted:
      commit_checkpoint(state, record.checkpoint_committed(), metric);
      break;
    case Fact::kCheckpointDropped:
      return drop_checkpoint(state, record.checkpoint_dropped(), metric);
    case Fact::kAttemptBegan:
      begin_attempt(state, record.attempt_began());
      break;
    case Fact::kAttemptEnded:
      end_attempt(state, record.attempt_ended());
      break;
    case Fact::kPromiseStated:
      state_promise(state, record.promise_stated());
      break;
    case Fact::kPromiseRefused:
      return refuse_promise(state, record.promise_refused());
    case Fact::kRunStopped:
      stop(state, record.run_stopped());
      break;
    case Fact::kCertified:
      state.record.certified = certified_of(record.certified());
      break;
    case Fact::kMeasuredAgain:
      return add_second_measurement(state.record, record.measured_again(), metric);
    case Fact::kRunPaused:
      state.pause = record.run_paused();
      note(state, EventKind::kPause, record.run_paused().reason());
      break;
    case Fact::kRunEnded:
      state.end = record.run_ended();
      break;
    case Fact::FACT_NOT_SET:
      return fail(ErrorCode::kCorrupt, "a journal record without a fact");
  }
  return {};
}

}  // namespace surety::orchestrator
