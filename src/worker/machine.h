// A worker as a step machine: commands and events in, effects out (worker/operations/host.h,
// worker/operations/network.h). The same machine runs in a worker process (runtime) and in a
// simulated cluster (sim).
//
//   idle -> busy             a command comes, and its operation begins
//   busy -> idle             the operation answers or fails
//   busy -> busy             a newer command comes: the operation is abandoned, without an answer
//   idle or busy -> idle     the coordinator is lost
//
// While a background computation is under way (Work in worker/operations/host.h), a newer command
// waits for its end, because both use the same model and chunks. The computation is asked to stop.
// The work that was learned until then is kept if training can continue from it
// (worker/state/learned_work.h).
//
// One thread uses a machine. Events of a command that is over are ignored.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/operations/files.h"
#include "worker/operations/host.h"
#include "worker/operations/network.h"
#include "worker/operations/operation.h"
#include "worker/state/state.h"

namespace surety::worker {

class Machine {
 public:
  // The references must outlive this object.
  Machine(learn::TaskFactory factory, Host& host, Network& network, Files& files)
      : factory_(std::move(factory)), host_(host), network_(network), files_(files) {}

  // The worker gets an id, and has no session. It keeps its samples if `keeps_samples` is set.
  // Otherwise it is another run, or the data of the run differ, so nothing that the worker holds is
  // of use. Then commands may be numbered anew.
  void on_welcome(const proto::Welcome& welcome, bool keeps_samples);
  // REQUIRES: on_welcome() before.
  void on_command(const proto::ToWorker& command);
  // No coordinator waits for an answer any more. A welcome that is still in the queue is kept,
  // because it determines whether the worker keeps its samples.
  void on_coordinator_lost();

  // ---- events of the host ----
  void on_work_done(const Result<void>& outcome);
  void on_time(std::uint64_t timer);
  void on_network(NetworkEvent event);
  // A call of this machine threw an exception: the current command fails with it, and the next one
  // begins.
  void on_exception(const Error& error);

  [[nodiscard]] const State& state() const { return state_; }
  // The chunks whose samples this worker holds, ascending; none if a welcome in the queue will
  // discard them.
  [[nodiscard]] std::vector<ChunkId> chunks() const;
  // The current command; null if the worker is idle.
  [[nodiscard]] const proto::ToWorker* command() const {
    return operation_ ? &operation_->command() : nullptr;
  }

 private:
  // A command, or a welcome.
  struct Order {
    proto::ToWorker message;
    bool keeps_samples = false;
  };
  struct Failure {
    Error error;
    std::optional<WorkerId> blamed;
  };
  void enqueue(Order order);
  void begin_next();
  void begin(const proto::ToWorker& command);
  void end_operation();
  void stop_work();
  void answer(proto::FromWorker message);
  // Answers the last command with this error, because it has no operation.
  void answer_without_operation(const Error& error);
  void fail(Error error, std::optional<WorkerId> blamed);
  [[nodiscard]] OperationContext context_of(const proto::ToWorker& command);

  const learn::TaskFactory factory_;
  Host& host_;
  Network& network_;
  Files& files_;
  State state_;
  std::deque<Order> orders_;              // Orders that wait for the end of a computation.
  std::unique_ptr<Operation> operation_;  // Null if the worker is idle.
  // The last operation that has ended; null if there was none. It is kept until the next one ends,
  // because one of its functions may have ended it and not have returned yet.
  std::unique_ptr<Operation> ended_;
  bool is_working_ = false;
  // The operation is over as soon as its computation has ended. Then the failure, if there is one,
  // is its answer.
  bool is_ending_ = false;
  std::optional<Failure> failure_;
  std::uint64_t timer_ = 0;             // Number of the last timer.
  std::optional<std::uint64_t> begun_;  // Number of the last command of this run that was begun.
};

}  // namespace surety::worker
