#include "sim/cluster/coordinator.h"

#include <utility>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/words.h"
#include "orchestrator/stages/checked_plan.h"
#include "sim/learning/describe.h"

namespace surety::sim {

using namespace orchestrator;

namespace {

constexpr double kRounding = 1e-9;
// How long a process takes to measure the certified model again.
constexpr double kMeasuringAgainS = 2;

// How long the planner takes.
constexpr double kPlanningS = 1;

// The workers of a simulated cluster do not lie, so the new process finds what they reported.
MeasuredAgain measured_as_certified(const RunState& state) {
  return {certificate::values_of(*state.record.certified)};
}

void fold(RunState& state, const proto::JournalRecord& record, const job::Job& job) {
  SURETY_CHECK(apply(state, record, job.cluster, job.promise.metric).has_value());
}

}  // namespace

Coordinator::Coordinator(const SimOptions& options, EventQueue& queue, Trace& trace, Watch& watch,
                         CheckedJournal& journal, Checkpoints& checkpoints,
                         Connections& connections, ProcessTable& processes)
    : options_(options),
      queue_(queue),
      trace_(trace),
      watch_(watch),
      journal_(journal),
      checkpoints_(checkpoints),
      connections_(connections),
      clock_(queue, [this] { on_alarm(); }),
      launcher_(processes, trace, watch),
      user_(options.resumes_max) {}

// ---- its process --------------------------------------------------------------------------------

void Coordinator::begin_run() {
  const JobConfig& config = options_.config;
  proto::JournalRecord record;
  proto::RunBegan& fact = *record.mutable_run_began();
  fact.set_run("sim");
  fact.set_deadline_s(config.job.promise.deadline_s);
  fact.set_mode(name_of(config.mode));
  if (config.chunks_for_workers) fact.set_chunks_for_workers(*config.chunks_for_workers);
  SURETY_CHECK(journal_.append(record).has_value());
  journal_.sync();
  start();
}

// Opens the journal of a new or a resumed run.
void Coordinator::start() {
  ++term_;
  state_ = initial_state(options_.config.job);
  const std::vector<proto::JournalRecord> records = journal_.open();
  for (const proto::JournalRecord& record : records) fold(state_, record, options_.config.job);
  if (state_.end) return finish({Ending::kComplete, state_.end->reason()});
  if (term_ > 1 && !resume(records.size())) return crash(0, "the disk is full", Remaining::kStay);
  machine_.emplace(options_.config, state_);
  connections_.begin();
  feed(Started{.remaining = launcher_.begin()});
}

// Returns false if nothing can be written.
bool Coordinator::resume(std::size_t records) {
  ++restarts_;
  proto::JournalRecord resumed;
  resumed.set_run_s(clock_.now_s());
  resumed.mutable_run_resumed()->set_term(state_.term + 1);
  if (!journal_.append(resumed)) return false;
  journal_.sync();
  fold(state_, resumed, options_.config.job);
  trace_.log(fmt::format("the coordinator resumes after {}", counted(records, "record")));
  return true;
}

void Coordinator::crash(double torn_share, const std::string& why, Remaining workers) {
  trace_.log("the coordinator ends: " + why);
  machine_.reset();
  clock_.stop();
  journal_.crash(torn_share);
  connections_.end();
  launcher_.end(workers);
  queue_.after(options_.restart_s, [this, term = term_] {
    if (term == term_ && !machine_) start();
  });
}

void Coordinator::finish(const Finish& finish) {
  const char* how = finish.ending == Ending::kComplete ? "ends" : "fails";
  trace_.log(fmt::format("the run {}: {}", how, finish.reason));
  if (user_.resumes(finish)) return crash(1, "the run is resumed", Remaining::kEnd);
  finished_ = finish;
}

// ---- events -------------------------------------------------------------------------------------

void Coordinator::on_called(std::uint64_t connection, std::uint32_t process,
                            const proto::Hello& hello) {
  watch_.returns().on_hello(process, hello);
  // The number of a process is also the number of its launch.
  const bool is_launched = launcher_.has_launched(process);
  feed(connections_.workers().on_opened(connection, hello,
                                        is_launched ? std::optional(process) : std::nullopt));
}

void Coordinator::on_message(WorkerId worker, const proto::FromWorker& message) {
  watch_.on_answer(worker, message);
  feed(orchestrator::message_of(worker, message));
}

void Coordinator::on_lost(WorkerId worker, const std::string& why) {
  feed(ConnectionLost{worker, why});
}

void Coordinator::on_process_ended(std::uint32_t process, const std::string& how,
                                   std::uint32_t term) {
  if (!machine_ || term != term_ || !launcher_.has_launched(process)) return;
  feed(launcher_.end_of(process, how, connections_.workers()));
}

void Coordinator::on_alarm() {
  if (clock_.now_s() >= machine_->deadline_s() - kRounding) return feed(Tick{});
  clock_.set(machine_->deadline_s());
}

void Coordinator::feed(const Event& event) {
  if (!machine_) return;
  const std::uint32_t term = term_;
  for (const Effect& effect : machine_->step(clock_.now_s(), event)) {
    const Result<void> done = carry_out(effect);
    if (term != term_ || !machine_) return;
    if (!done) return crash(0, done.error().message, Remaining::kEnd);
  }
  journal_.sync();
  journal_.compare(machine_->state());
  clock_.set(machine_->deadline_s());
}

// ---- effects ------------------------------------------------------------------------------------

Result<void> Coordinator::carry_out(const Effect& effect) {
  if (needs_records(effect)) journal_.sync();
  if (const auto* append = std::get_if<Append>(&effect)) {
    SURETY_TRY(journal_.append(append->record));
    note(append->record);
    return {};
  }
  std::visit(
      Overloaded{[](const Append&) {}, [&](const Log& line) { trace_.log(line.text); },
                 [&](const Admit& admit) { connections_.admit(admit.connection, admit.worker); },
                 [&](const Send& order) { send(order.command.to, order.command.message); },
                 [&](const Disconnect& gone) {
                   watch_.on_gone(gone.worker);
                   connections_.close(gone.worker);
                 },
                 [&](const StartWorkers& workers) { launcher_.launch(workers.nodes); },
                 [&](const EndRemainingWorkers&) { launcher_.end(Remaining::kEnd); },
                 [&](const MeasureAgain&) {
                   queue_.after(kMeasuringAgainS, [this, term = term_] {
                     if (machine_ && term == term_) feed(measured_as_certified(machine_->state()));
                   });
                 },
                 [&](const MakePlan& order) {
                   PlanMade made{make_checked_plan(order.instance, order.profile, order.options)};
                   queue_.after(kPlanningS, [this, term = term_, made = std::move(made)] {
                     if (machine_ && term == term_) feed(made);
                   });
                 },
                 [&](const RemoveCheckpoint& remove) { checkpoints_.remove_folder(remove.folder); },
                 [&](const Finish& end) { finish(end); }},
      effect);
  return {};
}

void Coordinator::note(const proto::JournalRecord& record) {
  if (const std::string text = describe(record); !text.empty()) {
    trace_.log(text);
  } else {
    trace_.note("record", static_cast<std::uint64_t>(record.fact_case()));
  }
}

void Coordinator::send(WorkerId to, proto::ToWorker message) {
  if (options_.rewrite) options_.rewrite(to, message);
  watch_.on_command(to, message);
  trace_.note("sent", to.value, static_cast<std::uint64_t>(message.command_case()),
              message.sequence());
  // A test has removed the command: the worker never receives it.
  if (message.command_case() == proto::ToWorker::COMMAND_NOT_SET) return;
  connections_.send(to, std::move(message));
}

}  // namespace surety::sim
