#include "orchestrator/training/trainer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "orchestrator/session/answer_check.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

// A link between two live workers that stays broken for this many tries will not recover.
constexpr std::uint32_t kRetriesMax = 40;
constexpr std::size_t kNamedMax = 3;  // Workers that one line names.

// The name that the protocol gives to an answer, for example "step_done".
std::string answer_name(proto::FromWorker::MessageCase answer) {
  const auto* field = proto::FromWorker::descriptor()->FindFieldByNumber(answer);
  return field == nullptr ? "nothing" : field->name();
}

// What is wrong with an answer of another kind; absent if it has the right one.
std::optional<std::string> wrong_kind_in(const proto::FromWorker& message, BarrierKind kind) {
  if (message.message_case() == answer_to(kind)) return std::nullopt;
  return fmt::format(
      "it is of the wrong kind: found {}, expected {}: do the versions of the programs differ?",
      answer_name(message.message_case()), answer_name(answer_to(kind)));
}

// For example "; the other workers wait for worker 2". Empty if no worker is named.
std::string words_for_slowest(const std::vector<WorkerId>& slowest) {
  if (slowest.empty()) return "";
  if (slowest.size() > kNamedMax) {
    return fmt::format("; the other workers wait for {} of them", slowest.size());
  }
  return fmt::format("; the other workers wait for {} {}",
                     slowest.size() == 1 ? "worker" : "workers", fmt::join(slowest, ", "));
}

// Two live workers cannot reach each other. The worker that was reported as unreachable most often
// is the faulty one; if two report each other, the newer one.
std::optional<WorkerId> most_blamed(const std::map<WorkerId, std::uint32_t>& blamed) {
  const auto most = std::ranges::max_element(
      blamed, [](const auto& a, const auto& b) { return a.second <= b.second; });
  return most == blamed.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

// ---- workers ------------------------------------------------------------------------------------

void Trainer::join(WorkerId worker, std::string transport_address,
                   std::vector<std::uint32_t> chunks_in_memory, std::optional<WorkerId> before) {
  roster_.join(worker, std::move(transport_address), std::move(chunks_in_memory));
  // The old worker is removed only now, after the new one has joined with its samples, so that no
  // other worker reads these samples.
  if (before) lose(*before);
  if (session_) session_->enlist(roster_);
  advance();
}

void Trainer::leave(WorkerId worker) {
  if (!roster_.leave(worker) || !session_ || !session_->leave(worker)) return;
  session_->enlist(roster_);
  advance();
}

// The departure of a worker that left gracefully affects no barrier; a crash makes the barrier
// void.
void Trainer::lose(WorkerId worker) {
  if (!roster_.contains(worker)) return;
  roster_.remove(worker);
  view_.fabric.forget(worker);
  const bool took_part = session_ && session_->lose(worker);
  if (took_part || (barrier_ && barrier_->awaits(worker))) abort_barrier();
  if (session_) session_->enlist(roster_);
  advance();
}

std::vector<WorkerId> Trainer::departed() const {
  std::vector<WorkerId> workers = roster_.leaving();
  std::erase_if(workers,
                [this](WorkerId worker) { return session_ && !session_->is_free(worker); });
  return workers;
}

// ---- orders -------------------------------------------------------------------------------------

void Trainer::begin(SessionSpec spec, double now_s) {
  forget_order();
  patience_s_ = spec.patience_s;
  session_.emplace(++sessions_, std::move(spec));
  session_->enlist(roster_);
  start(BeginOrder{}, now_s);
}

void Trainer::start(Order order, double now_s) {
  SURETY_CHECK(!order_);
  if (const auto* pass = std::get_if<PassOrder>(&order)) session_->begin_pass(*pass, now_s);
  order_ = CurrentOrder{.what = std::move(order), .began_s = now_s};
  now_s_ = now_s;
  advance();
}

void Trainer::forget_order() {
  order_.reset();
  abort_barrier();
}

void Trainer::limit_workers(std::optional<std::uint32_t> workers) {
  if (session_) session_->limit_workers(workers);
}

// ---- barriers -----------------------------------------------------------------------------------

void Trainer::advance() {
  if (!order_ || barrier_) return;
  const auto* probe = std::get_if<ProbeOrder>(&order_->what);
  if (probe == nullptr) {
    return carry_out(session_->next(order_->what, roster_, view_.fabric, now_s_));
  }
  std::vector<Command> commands = commands_of(*probe, roster_);
  if (commands.empty())
    return carry_out(TrainerEvent{ProbeFinished{probe->from, probe->to, std::nullopt}});
  carry_out(BarrierRequest{BarrierKind::kProbe, std::move(commands)});
}

void Trainer::carry_out(SessionStep step) {
  if (session_) {
    for (std::string& remark : session_->take_remarks())
      outcome_.remarks.push_back(std::move(remark));
  }
  if (auto* ask = std::get_if<BarrierRequest>(&step)) {
    std::vector<WorkerId> asked;
    const std::uint64_t iteration = progress().iteration;
    ++sequence_;
    for (Command& command : ask->commands) {
      asked.push_back(command.to);
      command.message.set_sequence(sequence_);
      command.message.set_model_iteration(iteration);
      outcome_.commands.push_back(std::move(command));
    }
    barrier_.emplace(ask->kind, sequence_, asked, now_s_);
  }
  if (auto* event = std::get_if<TrainerEvent>(&step)) {
    forget_order();
    outcome_.events.push_back(std::move(*event));
  }
}

void Trainer::receive(WorkerId from, const proto::FromWorker& message, double now_s) {
  now_s_ = now_s;
  if (!barrier_ || !barrier_->expects(from, message)) return;
  if (message.has_waiting()) return barrier_->note_waiting(from, message.waiting());
  if (message.has_failed()) return fail_on(from, message.failed());
  std::optional<std::string> wrong = wrong_kind_in(message, barrier_->kind());
  if (!wrong) wrong = wrong_number_in(message);
  if (wrong) return give_up(from, "an impossible answer: " + *wrong, proto::FAULT_MACHINE);
  barrier_->take(from, message);
  if (barrier_->is_complete()) close();
}

void Trainer::fail_on(WorkerId worker, const proto::Failed& failure) {
  const std::string reason = fmt::format("worker {}: {}", worker, failure.message());
  const bool reads = barrier_->kind() == BarrierKind::kPrepare && session_->reads_checkpoint();
  if (failure.fatal() && reads && failure.fault() == proto::FAULT_DAMAGE) {
    return carry_out(TrainerEvent{CheckpointUnreadable{{ErrorCode::kCorrupt, reason}}});
  }
  // The memory or the disk of the worker is full, and another machine can do the same work. But a
  // checkpoint is saved to the disk of the run, so this answer of one worker holds for all.
  const bool is_machine =
      failure.fault() == proto::FAULT_MACHINE && barrier_->kind() != BarrierKind::kSave;
  // The coordinator has read all samples, so only this machine lacks them or has others.
  const bool is_copy =
      failure.fault() == proto::FAULT_INPUT &&
      (barrier_->kind() == BarrierKind::kPrepare || barrier_->kind() == BarrierKind::kEvaluate);
  if (failure.fatal() && (is_machine || is_copy)) {
    return give_up(worker, failure.message(), failure.fault());
  }
  if (failure.fatal()) {
    return carry_out(TrainerEvent{FatalError{{protocol::code_of(failure.fault()), reason}}});
  }
  if (failure.has_blamed() && failure.blamed() != worker.value) {
    ++order_->blamed[WorkerId{failure.blamed()}];
  }
  if (!barrier_->retry_later(now_s_) || ++order_->retries <= kRetriesMax) return;
  const std::optional<WorkerId> blamed = most_blamed(order_->blamed);
  if (!blamed || !roster_.contains(*blamed)) {
    return carry_out(TrainerEvent{FatalError{{ErrorCode::kUnavailable, reason}}});
  }
  order_->retries = 0;
  order_->blamed.clear();
  give_up(*blamed, "other workers cannot reach it: " + reason, proto::FAULT_MACHINE);
}

void Trainer::give_up(WorkerId faulty, const std::string& why, proto::Fault fault) {
  // Another machine may have the data that this one lacks.
  const bool lacks_data = fault == proto::FAULT_INPUT;
  const auto is_other = [&](WorkerId worker) { return worker != faulty; };
  if (lacks_data || std::ranges::any_of(roster_.staying(), is_other)) {
    return outcome_.faulty.push_back({faulty, why, fault});
  }
  const std::string text = fmt::format("worker {}: {}", faulty, why);
  carry_out(TrainerEvent{FatalError{{protocol::code_of(fault), text}}});
}

void Trainer::tick(double now_s) {
  now_s_ = now_s;
  if (!barrier_) return;
  if (const std::vector<WorkerId> hung = barrier_->hung(now_s, patience_s_); !hung.empty()) {
    // Giving up the last worker ends the barrier.
    const std::string why = "it hangs: it sends heartbeats, but " + barrier_->delay_of_hung();
    for (const WorkerId worker : hung) give_up(worker, why, proto::FAULT_MACHINE);
  }
  if (!barrier_ || !barrier_->is_retry_due(now_s)) return;
  abort_barrier();
  advance();
}

void Trainer::abort_barrier() {
  if (barrier_ && session_) session_->on_aborted(barrier_->kind());
  barrier_.reset();
}

void Trainer::close() {
  const Barrier closed = *std::exchange(barrier_, std::nullopt);
  order_->retries = 0;
  order_->blamed.clear();
  std::optional<TrainerEvent> event;
  if (const auto* probe = std::get_if<ProbeOrder>(&order_->what)) {
    const proto::Probed& probed = closed.answers().at(probe->to).probed();
    event = ProbeFinished{
        probe->from, probe->to,
        probed.has_bytes_per_s() ? std::optional(probed.bytes_per_s()) : std::nullopt};
  } else {
    event = session_->take_answers(closed, *order_, roster_, view_, now_s_);
  }
  if (event) carry_out(*std::move(event));
  advance();
}

// ---- views --------------------------------------------------------------------------------------

Outcome Trainer::take() { return std::exchange(outcome_, {}); }

Progress Trainer::progress() const { return session_ ? session_->progress() : Progress{}; }

std::optional<Waiting> Trainer::waits_for() const {
  if (!barrier_) return std::nullopt;
  if (barrier_->kind() == BarrierKind::kStep || barrier_->kind() == BarrierKind::kResum) {
    const Progress now = progress();
    return Waiting{fmt::format("pass {} is {:.0f} % complete{}", now.passes + 1,
                               100 * now.pass_done, words_for_slowest(barrier_->slowest())),
                   order_->began_s};
  }
  return barrier_->progress();
}

}  // namespace surety::orchestrator
