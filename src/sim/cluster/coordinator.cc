// The coordinator's shell in a simulated cluster: what runtime/coordinator/coordinator.cc does for
// real.
#include "base/check.h"
#include "sim/cluster/cluster.h"
#include "sim/cluster/describe.h"

namespace surety::sim {

using namespace orchestrator;

namespace {

constexpr double kTickIntervalMinS = 1e-3;
constexpr double kRounding = 1e-9;

}  // namespace

void Cluster::begin_run() {
  proto::JournalRecord record;
  proto::RunBegan& fact = *record.mutable_run_began();
  fact.set_run("sim");
  fact.set_deadline_s(options_.config.job.promise.deadline_s);
  fact.set_mode(options_.config.mode);
  fact.set_cut_for(options_.config.cut_for);
  SURETY_CHECK(journal_.append(record).has_value());
  journal_.sync();
  start_coordinator();
}

// What a new run and a resumed run have in common: a journal.
void Cluster::start_coordinator() {
  ++epoch_;
  const auto records = journal_.open();
  SURETY_CHECK(records.has_value());
  state_ = initial_state(options_.config.job);
  for (const proto::JournalRecord& record : *records) fold(record);
  watch_.on_restart(*records);
  if (state_.ended) return finish({Ending::kComplete, state_.ended->reason()});
  if (epoch_ > 1) {
    ++restarts_;
    proto::JournalRecord resumed;
    resumed.set_run_s(run_s());
    resumed.mutable_run_resumed()->set_epoch(state_.epoch + 1);
    if (!journal_.append(resumed)) {
      return crash_coordinator(0, "the disk is full", Workers::kStay);
    }
    if (journal_.sync()) watch_.on_sync();
    watch_.on_append(resumed);
    fold(resumed);
    log(fmt::format("the coordinator resumes after {} record{}", records->size(),
                    records->size() == 1 ? "" : "s"));
  }
  machine_.emplace(options_.config, state_);
  std::vector<plan::NodeCount> left;
  if (epoch_ > 1) left = this->left();
  watch_.returns().on_begin(left);
  for (const plan::NodeCount& nodes : left) {
    log(fmt::format("{} {} worker{} of coordinator {} {} still running and may call again",
                    nodes.count, nodes.type, nodes.count == 1 ? "" : "s", state_.epoch - 1,
                    nodes.count == 1 ? "is" : "are"));
  }
  feed(Started{std::move(left)});
}

void Cluster::fold(const proto::JournalRecord& record) {
  SURETY_CHECK(
      apply(state_, record, options_.config.job.cluster, options_.config.job.promise.metric)
          .has_value());
}

// Its connections end with it. Workers that it has started outlive a killed coordinator; one that
// ends by itself ends them.
void Cluster::crash_coordinator(double torn_share, const std::string& why, Workers workers) {
  log("the coordinator ends: " + why);
  machine_.reset();
  journal_.crash(torn_share);
  while (!open_.empty()) close(open_.begin()->first);
  joined_.clear();
  for (const auto& [number, process] : processes_) {
    if (workers == Workers::kEnd && process->start().local) {
      process->end("signal 15 (Terminated)");
    }
  }
  queue_.after(options_.restart_s, [this, epoch = epoch_] {
    if (epoch == epoch_ && !machine_) start_coordinator();
  });
}

void Cluster::feed(const Event& event) {
  if (!machine_) return;
  const std::uint32_t epoch = epoch_;
  for (const Effect& effect : machine_->step(run_s(), event)) {
    const Result<void> done = carry_out(effect);
    if (epoch != epoch_ || !machine_) return;
    if (!done) return crash_coordinator(0, done.error().message, Workers::kEnd);
  }
  if (journal_.sync()) watch_.on_sync();
  if (std::exchange(wrote_, false)) watch_.check_state(machine_->state());
  tick_later();
}

void Cluster::tick_later() {
  // Time passes between two readings of a clock, however soon the machine wants the next tick.
  const double at_s =
      std::max(machine_->deadline_s() - clock_ahead_s_, ticked_s_ + kTickIntervalMinS);
  // A tick is already due by then.
  if (ticks_at_s_ > queue_.now_s() && ticks_at_s_ <= at_s) return;
  ticks_at_s_ = at_s;
  queue_.at(at_s, [this, at_s, epoch = epoch_] {
    if (!machine_ || epoch != epoch_ || at_s != ticks_at_s_) return;
    ticks_at_s_ = -1;
    ticked_s_ = queue_.now_s();
    if (run_s() >= machine_->deadline_s() - kRounding) return feed(Tick{});
    tick_later();
  });
}

Result<void> Cluster::carry_out(const Effect& effect) {
  if (const auto* append = std::get_if<Append>(&effect)) {
    SURETY_TRY(journal_.append(append->record));
    note(append->record);
    return {};
  }
  if (const auto* line = std::get_if<Log>(&effect)) {
    log(line->text);
    return {};
  }
  if (journal_.sync()) watch_.on_sync();
  if (const auto* admit = std::get_if<Admit>(&effect)) {
    End& end = open_.at(admit->connection);
    end.worker = admit->worker;
    admitted_[admit->worker] = {end.process, admit->connection, epoch_};
    watch_.returns().on_admitted(end.process, admit->worker);
  } else if (const auto* send = std::get_if<Send>(&effect)) {
    const WorkerId to = send->command.to;
    proto::ToWorker message = send->command.message;
    if (options_.rewrite) options_.rewrite(to, message);
    watch_.on_command(to, message);
    trace_.note(queue_.now_s(), "sent", to.value,
                static_cast<std::uint64_t>(message.command_case()), message.sequence());
    const std::uint64_t connection = admitted_.at(to).connection;
    Process* process = process_of(to);
    if (!process->runs() || !open_.contains(connection)) return {};
    // A test has taken the command out: the worker never receives it.
    if (message.command_case() == proto::ToWorker::COMMAND_NOT_SET) return {};
    network_.send(connection, 0, process->host(),
                  [process, connection, message = std::move(message)] {
                    process->receive(connection, message);
                  });
  } else if (const auto* gone = std::get_if<Disconnect>(&effect)) {
    disconnect(gone->worker);
  } else if (const auto* workers = std::get_if<StartWorkers>(&effect)) {
    launch(workers->nodes);
  } else if (const auto* remove = std::get_if<RemoveCheckpoint>(&effect)) {
    checkpoints_.remove_folder(remove->folder);
  } else if (const auto* end = std::get_if<Finish>(&effect)) {
    finish(*end);
  }
  return {};
}

void Cluster::note(const proto::JournalRecord& record) {
  wrote_ = true;
  watch_.on_append(record);
  if (const std::string text = describe(record); !text.empty()) {
    log(text);
  } else {
    trace_.note(queue_.now_s(), "record", static_cast<std::uint64_t>(record.fact_case()));
  }
}

void Cluster::launch(const plan::NodeCount& nodes) {
  watch_.returns().on_launch(nodes.count);
  log(fmt::format("{} worker{} started{}", nodes.count, nodes.count == 1 ? "" : "s",
                  nodes.type == "local" ? "" : " as " + nodes.type));
  for (std::uint32_t i = 0; i < nodes.count; ++i) start_process(nodes.type, true);
}

void Cluster::disconnect(WorkerId worker) {
  watch_.on_gone(worker);
  close(admitted_.at(worker).connection);
}

// A run that failed is resumed by its user, a number of times. So is one whose data was damaged,
// after the data was restored.
void Cluster::finish(const Finish& finish) {
  const char* how = finish.ending == Ending::kComplete ? "ends" : "fails";
  log(fmt::format("the run {}: {}", how, finish.reason));
  const bool failed = finish.ending == Ending::kFailed || finish.ending == Ending::kBadInput;
  const bool continues = failed && failures_ < options_.resumes_max;
  if (continues) {
    ++failures_;
    return crash_coordinator(1, "the run is resumed", Workers::kEnd);
  }
  finished_ = finish;
}

}  // namespace surety::sim
