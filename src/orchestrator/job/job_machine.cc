#include "orchestrator/job/job_machine.h"

#include <algorithm>

#include "base/check.h"
#include "plan/files/plan_io.h"

namespace surety::orchestrator {
namespace {

// Profiling stops early when this share of the time to the deadline has passed: the rest must be
// enough for training.
constexpr double kProfileShareMax = 0.5;
// Seconds after the deadline for certifying before the run ends for lack of workers.
constexpr double kCertifyGraceS = 60;
// kGatherS: seconds to wait for the first workers before the job continues with at least
// workers_min. kGatherShare: the share of the time to the deadline that this may take.
// kGatherAgainS: seconds to wait for workers that an earlier coordinator left; they run already and
// call once a second.
constexpr double kGatherS = 60;
constexpr double kGatherShare = 0.25;
constexpr double kGatherAgainS = 3;

Time as_time(double run_s) { return Time{from_seconds(run_s)}; }

}  // namespace

JobMachine::JobMachine(JobConfig config, RunState state)
    : config_(std::move(config)),
      state_(std::move(state)),
      trainer_(state_.epoch),
      membership_(config_.liveness, state_.last_worker),
      pool_(config_.job.cluster.nodes) {}

std::vector<Effect> JobMachine::step(double now_s, const Event& event) {
  now_s_ = std::max(now_s_, now_s);
  if (stage_ == Stage::kEnded) return {};
  std::visit([&](const auto& e) { on(e); }, event);
  pump();
  return std::exchange(effects_, {});
}

double JobMachine::deadline_s() const {
  const auto silence = membership_.deadline();
  // For retries, deadlines of stages and the status line: heartbeats must not postpone them.
  const double next_tick = ticked_s_ + 0.25;
  return silence ? std::min(next_tick, to_seconds(silence->time_since_epoch())) : next_tick;
}

JobView JobMachine::view() const {
  JobView view;
  view.phase = state_.phase;
  view.version = trainer_.version();
  view.workers = staying();
  view.pass = trainer_.pass();
  view.pass_done = trainer_.pass_done();
  if (profile_) {
    view.profile_runs = static_cast<std::uint32_t>(profile_->total());
    view.profile_runs_done = static_cast<std::uint32_t>(profile_->done());
    if (const ProfileRun* run = profile_->current()) view.version = run->version;
  }
  view.waits_for = stage_ == Stage::kGather ? gathering() : trainer_.waits_for();
  if (attempts_) {
    view.attempt = attempts_->attempt();
    view.forecast = attempts_->forecast();
  }
  if (!state_.record.measurements.empty()) view.metric = state_.record.measurements.back().metric;
  view.cost = state_.record.training_cost + state_.record.profile_cost;
  return view;
}

// ---- events -------------------------------------------------------------------------------------

void JobMachine::on(const Started& event) {
  stage_began_s_ = ticked_s_ = now_s_;
  for (const plan::NodeCount& nodes : event.left) pool_.on_requested(nodes);
  const bool calls_back = !event.left.empty() || state_.external_away > 0;
  gather_s_ =
      calls_back ? kGatherAgainS : std::min(kGatherS, kGatherShare * state_.record.deadline_s);
  if (config_.plan && !state_.record.plan) choose(*config_.plan);
  enter_phase("gather");
  start_first();
}

void JobMachine::on(const WorkerHello& event) { welcome(event); }

void JobMachine::on(const WorkerMessage& event) {
  if (!membership_.is_present(event.worker)) return;
  membership_.on_message(event.worker, as_time(now_s_));
  if (event.message.has_leaving()) {
    effects_.push_back(Log{fmt::format("worker {} requests to leave: {}", event.worker,
                                       event.message.leaving().reason())});
    leave(event.worker);
    return fit_to_plan();
  }
  trainer_.receive(event.worker, event.message, now_s_);
}

void JobMachine::on(const ConnectionLost& event) {
  if (!membership_.is_present(event.worker)) return;
  drop(event.worker, "lost", event.reason);
}

// If every started worker ends before it has joined, waiting will not help.
void JobMachine::on(const WorkerProcessEnded& event) {
  effects_.push_back(Log{event.what});
  if (!event.joined) {
    pool_.on_ended(config_.job.cluster.find(event.type)->name);
    ++losses_;
  }
  const bool nobody = event.running == 0 && membership_.present().empty();
  if (!nobody || (stage_ != Stage::kGather && may_start())) return fit_to_plan();
  finish(Ending::kFailed,
         event.what +
             ", and no worker is left; the reason is in its log, in the folder logs/ of the run");
}

void JobMachine::on(const WorkersNotStarted& event) {
  pool_.on_not_started(event.nodes);
  effects_.push_back(Log{fmt::format("{} {} cannot be started: {}", event.nodes.count,
                                     event.nodes.type, event.reason)});
  if (stage_ == Stage::kGather) {
    start_first();
  } else {
    fit_to_plan();
  }
  if (has_no_workers()) {
    finish(Ending::kFailed, fmt::format("no worker can be started: {}", event.reason));
  }
}

void JobMachine::on(const StopRequested&) { finish(Ending::kInterrupted, "stopped on request"); }

void JobMachine::on(const Tick&) {
  ticked_s_ = now_s_;
  for (const elastic::Departure& silent : membership_.tick(as_time(now_s_))) {
    drop(silent.worker, "lost", silent.reason);
  }
  trainer_.tick(now_s_);
  const double deadline_s = state_.record.deadline_s;
  if (stage_ == Stage::kGather) {
    check_gathered();
    watch_deadline_in_gather();
    return watch_budget_in_gather();
  }
  if (stage_ == Stage::kProfile && config_.mode == "run" &&
      now_s_ > kProfileShareMax * deadline_s) {
    profile_->cut_short();
  }
  if ((stage_ == Stage::kTrain || stage_ == Stage::kPool) && now_s_ > deadline_s) {
    trainer_.forget_order();
    enter_certify("the deadline has passed", false);
  }
  if (stage_ == Stage::kPool) {
    if (const auto effects = attempts_->refuse_if_too_slow(trainer_.pass_done(), pool_now())) {
      trainer_.forget_order();
      return carry_out(*effects);
    }
  }
  if (stage_ == Stage::kPool && is_out_of_money()) {
    const auto refused = attempts_->out_of_money(trainer_.pass_done(), pool_now());
    trainer_.forget_order();
    if (refused) return carry_out(*refused);
    enter_certify("the budget is used up", false);
  }
  if (stage_ == Stage::kCertify && now_s_ > std::max(deadline_s, stage_began_s_) + kCertifyGraceS) {
    end("no worker was left to certify the result");
  }
}

// ---- bookkeeping --------------------------------------------------------------------------------

void JobMachine::append(proto::JournalRecord record) {
  record.set_run_s(now_s_);
  const Result<void> applied =
      apply(state_, record, config_.job.cluster, config_.job.promise.metric);
  SURETY_CHECK(applied.has_value());
  effects_.push_back(Append{std::move(record)});
}

void JobMachine::enter_phase(const std::string& phase) {
  stage_began_s_ = now_s_;
  proto::JournalRecord record;
  record.mutable_phase_began()->set_phase(phase);
  append(std::move(record));
}

void JobMachine::finish(Ending ending, const std::string& reason) {
  for (const WorkerId worker : membership_.present()) {
    Command bye{worker, {}};
    bye.message.mutable_bye()->set_reason(reason);
    effects_.push_back(Send{std::move(bye)});
  }
  if (ending != Ending::kComplete) {
    proto::JournalRecord record;
    record.mutable_run_paused()->set_reason(reason);
    record.mutable_run_paused()->set_in_vain(ending == Ending::kBadInput);
    record.mutable_run_paused()->set_as_asked(ending == Ending::kPaused);
    append(std::move(record));
  }
  stage_ = Stage::kEnded;
  effects_.push_back(Finish{ending, reason});
}

void JobMachine::choose(const plan::Decision& decision) {
  proto::JournalRecord record;
  record.mutable_plan_chosen()->set_decision_json(plan::to_json(decision));
  append(std::move(record));
}

void JobMachine::end(const std::string& reason) {
  proto::JournalRecord record;
  record.mutable_run_ended()->set_reason(reason);
  record.mutable_run_ended()->set_verdict(name_of(certificate::verdict(state_.record)));
  append(std::move(record));
  finish(Ending::kComplete, reason);
}

// Passes the trainer's commands on and its notices to the stages, until there are no more.
void JobMachine::pump() {
  while (stage_ != Stage::kEnded) {
    Outcome outcome = trainer_.take();
    for (Command& command : outcome.commands) {
      // If two workers are lost at once, the trainer learns of one after the other.
      if (membership_.is_present(command.to)) effects_.push_back(Send{std::move(command)});
    }
    for (std::string& remark : outcome.remarks) effects_.push_back(Log{std::move(remark), true});
    for (const Notice& notice : outcome.notices) {
      if (stage_ != Stage::kEnded) on(notice);
    }
    if (stage_ == Stage::kEnded) return;
    send_bye_to_departed();
    if (outcome.commands.empty() && outcome.notices.empty()) return;
  }
}

}  // namespace surety::orchestrator
