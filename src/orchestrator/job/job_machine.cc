#include "orchestrator/job/job_machine.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "base/words.h"
#include "data/split.h"
#include "orchestrator/job/certify_phase.h"
#include "orchestrator/job/gather_phase.h"
#include "orchestrator/job/plan_phase.h"
#include "orchestrator/job/pool_phase.h"
#include "orchestrator/job/probe_phase.h"
#include "orchestrator/job/profile_phase.h"
#include "orchestrator/job/train_phase.h"

namespace surety::orchestrator {
namespace {

// Returns the phase's reaction to the event.
PhaseChange next_after(const TrainerEvent& event, Phase& phase, Ledger& ledger) {
  if (const auto* fatal = std::get_if<FatalError>(&event)) {
    return phase.on_fatal_error(fatal->error);
  }
  if (const auto* bad = std::get_if<CheckpointUnreadable>(&event)) {
    return phase.on_unreadable(bad->error);
  }
  const auto* lost = std::get_if<ModelLost>(&event);
  if (lost == nullptr) return phase.on_trainer_event(event);
  ledger.log(fmt::format("the run returns to its last checkpoint, because {}", lost->why));
  return phase.on_model_lost();
}

// Whether the last worker that this machine has started cannot read the data: then the data of this
// machine have changed. A worker from elsewhere only lacks them itself, and another one may join.
bool is_own_data_lost(const FaultyWorker& faulty, const elastic::Membership& membership,
                      const RunState& state) {
  return faulty.fault == proto::FAULT_INPUT && membership.present().size() == 1 &&
         !state.workers.joined_by_itself.contains(faulty.worker);
}

// REQUIRES: `next` enters a phase.
std::unique_ptr<Phase> make_phase(const PhaseChange& next, const PhaseContext& context) {
  if (std::holds_alternative<EnterProbe>(next)) return std::make_unique<ProbePhase>(context);
  if (std::holds_alternative<EnterProfile>(next)) return std::make_unique<ProfilePhase>(context);
  if (const auto* profiled = std::get_if<EnterPlan>(&next)) {
    return std::make_unique<PlanPhase>(context, *profiled);
  }
  if (std::holds_alternative<EnterPool>(next)) return std::make_unique<PoolPhase>(context);
  if (std::holds_alternative<EnterTraining>(next)) return std::make_unique<TrainPhase>(context);
  return std::make_unique<CertifyPhase>(context, std::get<EnterCertify>(next));
}

// A later coordinator leads the run, so this one must not make any more decisions.
bool is_of_later_coordinator(const WorkerHello& event, const RunState& state) {
  return !event.invitation && event.hello.run() == identity(state) &&
         event.hello.term() > state.term;
}

// Whether the coordinator must end, whatever it does.
bool ends_coordinator(const Event& event, const RunState& state) {
  if (std::holds_alternative<StopRequested>(event)) return true;
  const auto* nodes = std::get_if<NodesAvailable>(&event);
  const auto* hello = std::get_if<WorkerHello>(&event);
  return (nodes != nullptr && nodes->nodes.count == 0) ||
         (hello != nullptr && is_of_later_coordinator(*hello, state));
}

std::uint64_t samples_of(data::Split half, const JobConfig& config) {
  std::uint64_t samples = 0;
  for (const data::ChunkRange& range : config.validation_chunks) {
    samples += data::samples_of(half, range.first, range.count, config.job.train.seed);
  }
  return samples;
}

}  // namespace

JobMachine::JobMachine(JobConfig config, RunState state)
    : config_(std::move(config)),
      ledger_(config_.job, std::move(state)),
      trainer_(ledger_.state().term),
      nodes_(config_.job.cluster.nodes),
      workforce_(config_, ledger_, trainer_, nodes_, places_, [this] { on_worker_gone(); }),
      staffing_(config_, ledger_, nodes_, places_, workforce_,
                [this] { return is_over() || !phase_ ? std::nullopt : phase_->wanted(); }),
      folders_(config_.checkpoints_folder, ledger_.state().term),
      context_{
          config_,
          {samples_of(data::Split::kDecide, config_), samples_of(data::Split::kCertify, config_)},
          ledger_,
          trainer_,
          workforce_,
          staffing_,
          folders_} {}

std::vector<Effect> JobMachine::step(double now_s, const Event& event) {
  ledger_.set_time(now_s);
  if (has_ended_) return {};
  if (second_ && !ends_coordinator(event, state())) {
    if (std::holds_alternative<Tick>(event)) ticked_s_ = ledger_.now_s();
    const PhaseChange next = second_->step(event);
    if (const auto* run = std::get_if<EndRun>(&next)) end(run->reason);
    if (const auto* how = std::get_if<Finish>(&next)) finish(*how);
  } else {
    // The second measurement handles its own result.
    std::visit(Overloaded{[](const MeasuredAgain&) {}, [&](const auto& e) { on(e); }}, event);
    pump();
  }
  return ledger_.take_effects();
}

double JobMachine::deadline_s() const {
  // The workers that were dismissed before the second measurement may be silent.
  const auto silence = second_ ? std::nullopt : workforce_.membership().deadline();
  // This time is for retries, deadlines of phases and the status line, which heartbeats must not
  // postpone.
  const double next_tick = ticked_s_ + 0.25;
  return silence ? std::min(next_tick, to_seconds(silence->time_since_epoch())) : next_tick;
}

JobView JobMachine::view() const {
  const RunState& state = this->state();
  JobView view;
  view.phase = state.phase;
  const Progress progress = trainer_.progress();
  view.version = progress.version;
  view.workers = second_ ? 0 : workforce_.staying();
  view.pass = progress.passes;
  view.pass_done = progress.pass_done;
  if (!state.record.measurements.empty()) view.metric = state.record.measurements.back().metric;
  view.cost = state.record.training_cost + state.record.profile_cost;
  for (const auto& phase : past_) phase->describe(view);
  if (phase_) phase_->describe(view);
  if (second_) {
    view.waits_for = second_->waits_for();
  } else if (phase_) {
    view.waits_for = phase_->waits_for();
  }
  return view;
}

// ---- events -------------------------------------------------------------------------------------

void JobMachine::on(const Started& event) {
  ticked_s_ = ledger_.now_s();
  // The last coordinator ended after the result was certified, so no worker is needed any more.
  if (state().record.certified) {
    if (!event.remaining.empty()) ledger_.add(EndRemainingWorkers{});
    return end(state().record.stop_reason);
  }
  const bool some_remain = staffing_.adopt(event);
  if (config_.plan && !state().record.plan) ledger_.choose(*config_.plan);
  phase_ = std::make_unique<GatherPhase>(context_, some_remain);
  go(phase_->begin());
}

void JobMachine::on(const WorkerHello& event) {
  const job::NodeTypeSpec* type = config_.job.cluster.find(event.hello.node_type());
  SURETY_CHECK(type != nullptr);
  if (is_of_later_coordinator(event, state())) {
    // Nothing is sent to the workers, because they belong to the later one.
    has_ended_ = true;
    return ledger_.add(
        Finish{Ending::kTakenOver,
               fmt::format("coordinator {} leads this run now, and this is coordinator {}",
                           event.hello.term(), state().term)});
  }
  // A profile is made on the first type only: laws measured on a mixture would fit no nodes of a
  // plan.
  const bool takes_part = state().record.plan || uses_pool(config_, state()) ||
                          type->name == config_.job.cluster.nodes.front().name;
  workforce_.welcome(event, takes_part);
  go(phase_->on_joined());
}

void JobMachine::on(const WorkerMessage& event) {
  if (!workforce_.membership().is_present(event.worker)) return;
  workforce_.on_message(event.worker);
  if (event.message.has_leaving()) {
    // The request is logged once, because a worker that sends it again and again could fill the
    // log.
    if (!workforce_.leave(event.worker)) return;
    ledger_.log(fmt::format("worker {} requests to leave: {}", event.worker,
                            plain_text(event.message.leaving().reason(), kMessageBytesMax)));
    return staffing_.fit();
  }
  trainer_.receive(event.worker, event.message, ledger_.now_s());
}

void JobMachine::on(const ConnectionLost& event) {
  if (!workforce_.membership().is_present(event.worker)) return;
  workforce_.lose(event.worker, event.reason);
}

// If no process is left and no more can be started, waiting will not help.
void JobMachine::on(const WorkerProcessEnded& event) {
  ledger_.log(event.what);
  workforce_.on_process_ended(event);
  staffing_.fit();
  if (event.running > 0 || !workforce_.is_empty()) return;
  finish({Ending::kFailed,
          event.what +
              ", and no worker is left; the reason is in its log, in the folder logs/ of the run"});
}

void JobMachine::on(const WorkersNotStarted& event) {
  staffing_.on_not_started(event);
  phase_->on_nodes_changed();
  if (!workforce_.is_empty()) return;
  finish({Ending::kFailed, fmt::format("no worker can be started: {}", event.reason)});
}

// A plan for a number of nodes takes only the nodes that it lacks; a plan for any number takes all.
// If every node of the allocation was told to stop, the allocation ends soon, and so does the
// coordinator. The next coordinator continues from the last checkpoint.
void JobMachine::on(const NodesAvailable& event) {
  if (event.nodes.count == 0) {
    ledger_.log("every node of the allocation has received a notice to stop");
    return on(StopRequested{});
  }
  ledger_.log(fmt::format("the allocation has {}", counted(event.nodes.count, "usable node")));
  for (job::NodeTypeSpec& type : config_.job.cluster.nodes) {
    if (type.name == event.nodes.type) type.local = event.nodes.count;
  }
  staffing_.set_available(event.nodes);
  phase_->on_nodes_changed();
}

void JobMachine::on(const StopRequested&) { finish({Ending::kInterrupted, "stopped on request"}); }

void JobMachine::on(const Tick&) {
  ticked_s_ = ledger_.now_s();
  workforce_.lose_silent();
  trainer_.tick(ledger_.now_s());
  if (has_ended_) return;
  staffing_.tick();
  go(phase_->on_tick());
}

// No worker can be started any more, so waiting would not help.
void JobMachine::on_worker_gone() {
  staffing_.fit();
  if (is_over() || !workforce_.is_empty() || !config_.starts_workers) return;
  finish({Ending::kFailed,
          fmt::format(
              "{} {} lost since the last finished pass. This is too many, so no further "
              "worker is started. The reasons are in their logs, in the folder logs/ of the "
              "run",
              counted(workforce_.losses(), "worker"), workforce_.losses() == 1 ? "was" : "were")});
}

// ---- phases -------------------------------------------------------------------------------------

// Passes the trainer's commands on and its events to the phase, until there are no more.
void JobMachine::pump() {
  while (!is_over()) {
    Outcome outcome = trainer_.take();
    for (Command& command : outcome.commands) {
      // If two workers are lost at once, the trainer is told of one after the other.
      if (!workforce_.membership().is_present(command.to)) continue;
      ledger_.add(Send{std::move(command)});
    }
    for (std::string& remark : outcome.remarks) ledger_.add(Log{std::move(remark), true});
    for (const TrainerEvent& event : outcome.events) {
      if (!is_over()) go(next_after(event, *phase_, ledger_));
    }
    for (const FaultyWorker& faulty : outcome.faulty) {
      const bool is_here = workforce_.membership().is_present(faulty.worker);
      if (is_over() || !is_here) continue;
      if (is_own_data_lost(faulty, workforce_.membership(), state())) {
        const std::string text = fmt::format("worker {}: {}", faulty.worker, faulty.reason);
        go(next_after(FatalError{{ErrorCode::kInvalidInput, text}}, *phase_, ledger_));
      } else {
        workforce_.give_up(faulty);
      }
    }
    if (is_over()) return;
    workforce_.release_departed();
    if (outcome.commands.empty() && outcome.events.empty() && outcome.faulty.empty()) return;
  }
}

void JobMachine::go(PhaseChange next) {
  while (!is_over() && !std::holds_alternative<Stay>(next)) {
    if (const auto* run = std::get_if<EndRun>(&next)) return end(run->reason);
    if (const auto* how = std::get_if<Finish>(&next)) return finish(*how);
    past_.push_back(std::exchange(phase_, make_phase(next, context_)));
    next = phase_->begin();
  }
}

void JobMachine::end(const std::string& reason) {
  const certificate::RunRecord& record = ledger_.state().record;
  const bool trains = context_.config.mode != RunMode::kProfile;
  if (trains && !record.certified && !record.infeasible) {
    ledger_.log("no model is certified: " + reason);
  }
  if (awaits_second_measurement(state())) {
    if (!config_.job.trust.measure_again) {
      SecondMeasurement::leave_out(ledger_);
    } else {
      dismiss_all(ledger_, workforce_.membership(), reason);
      second_.emplace(ledger_, config_.reading_s);
      return;
    }
  }
  ledger_.end(reason);
  finish({Ending::kComplete, reason});
}

// The record comes first: if the coordinator crashes between the two, the pause is recorded, and
// the workers still run.
void JobMachine::finish(const Finish& how) {
  if (how.ending != Ending::kComplete) {
    proto::JournalRecord record;
    record.mutable_run_paused()->set_reason(how.reason);
    record.mutable_run_paused()->set_retry_would_fail(how.ending == Ending::kBadInput);
    record.mutable_run_paused()->set_requested_by_user(how.ending == Ending::kPaused);
    ledger_.append(std::move(record));
  }
  // They were dismissed before the second measurement.
  if (!second_) dismiss_all(ledger_, workforce_.membership(), how.reason);
  has_ended_ = true;
  ledger_.add(how);
}

}  // namespace surety::orchestrator
