// Runs training sessions on the workers that are present: passes, evaluations, version switches,
// checkpoints. Workers may join and leave in the middle of any of them.
//
// There is one current order. It is carried out as a series of *barriers*: commands to all members,
// each of which must answer. A barrier is aborted if a member is lost in it: the survivors discard
// their tentative models, the lost worker's chunks get new owners, and the order continues from the
// last committed iteration. Every command has a sequence number, which also grows from coordinator
// to coordinator. A command replaces the one before, so a late or duplicate answer is recognised
// and ignored.
//
//   prepare   whenever membership or ownership changed: chunks, per-sample state, the model
//   step      one iteration: local work and the weighted sum; committed when all have answered and
//             all hold the same bytes
//   evaluate, switch, save, probe   as named
//
// The session (training_session.h) decides the command of each barrier and interprets the answers.
//
// Invariants: a barrier is open only for the current order, and there is at most one.
//
// Pure: no clock, no I/O. The job machine decides what to train next
// (orchestrator/job/job_machine.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "orchestrator/session/barrier.h"
#include "orchestrator/session/orders.h"
#include "orchestrator/session/roster.h"
#include "orchestrator/session/session_spec.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/training/training_session.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class Trainer {
 public:
  explicit Trainer(std::uint32_t term = 1) : sequence_(std::uint64_t{term - 1} << 32) {}
  // `before` is the earlier id of the same process, if it had one. The worker with that id counts
  // as lost.
  void join(WorkerId worker, std::string transport_address,
            std::vector<std::uint32_t> chunks_in_memory = {},
            std::optional<WorkerId> before = std::nullopt);
  void leave(WorkerId worker);
  void lose(WorkerId worker);
  // Workers that left gracefully and own no chunks any more. Send them Bye, then call lose().
  [[nodiscard]] std::vector<WorkerId> departed() const;

  // Begins a session, which replaces the current session and the current order.
  void begin(SessionSpec spec, double now_s);
  // REQUIRES: there is no current order: the session has begun, and the last order has ended or was
  // forgotten. There is a session, except for a ProbeOrder.
  void start(Order order, double now_s);
  // There is no current order any more. The next one continues from the last committed iteration.
  void forget_order();
  // This is not an order. From now on only this many workers have chunks, those with the lowest
  // ids; the others rest. None means all workers, as at the start of a session.
  void limit_workers(std::optional<std::uint32_t> workers);

  void receive(WorkerId from, const proto::FromWorker& message, double now_s);
  // Call it as time passes. It retries a barrier that a broken link has stopped, and declares
  // hanging workers lost.
  void tick(double now_s);
  // Returns the commands and events since the last call.
  [[nodiscard]] Outcome take();

  // The progress of the current session.
  [[nodiscard]] Progress progress() const;
  // The command that workers have received and have not answered yet; nothing if there is no
  // barrier.
  [[nodiscard]] std::optional<Waiting> waits_for() const;

 private:
  void advance();
  void carry_out(SessionStep step);
  void close();
  void abort_barrier();
  void fail_on(WorkerId worker, const proto::Failed& failure);
  // The others continue without the worker. If there are no others, its error ends the session.
  void give_up(WorkerId faulty, const std::string& why, proto::Fault fault);

  Roster roster_;
  ClusterView view_;
  std::optional<TrainingSession> session_;
  std::uint32_t sessions_ = 0;        // Number of sessions so far.
  std::optional<double> patience_s_;  // The session's SessionSpec::patience_s.
  std::optional<CurrentOrder> order_;
  std::optional<Barrier> barrier_;
  std::uint64_t sequence_ = 0;  // The number of the last command.
  double now_s_ = 0;            // Time of the last call that had one.
  Outcome outcome_;
};

}  // namespace surety::orchestrator
