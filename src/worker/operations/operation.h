// One command that a worker is carrying out. Each kind of command is an operation of its own
// (preparation.h, sync_step.h, ...); the machine (worker/machine.h) passes events on to the current
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/operations/files.h"
#include "worker/operations/host.h"
#include "worker/operations/network.h"
#include "worker/state/state.h"

namespace surety::worker {

// Everything that an operation uses. The operation ends by one call of answer() or fail().
struct OperationContext {
  proto::ToWorker command;
  State& state;
  Host& host;
  Network& network;
  Files& files;
  const learn::TaskFactory& factory;
  std::function<void(Work)> start;  // REQUIRES: no other computation is under way.
  std::function<void(proto::FromWorker)> answer;
  // The second argument is the peer whose connection failed, if there is one. Then the failure is
  // not fatal, and the coordinator sends the command again. A background computation that is under
  // way is stopped first.
  std::function<void(Error, std::optional<WorkerId>)> fail;
  std::function<std::uint64_t(Duration)> wake_after;  // Returns the number of the timer.
};

class Operation {
 public:
  explicit Operation(OperationContext context) : context_(std::move(context)) {}
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  virtual void begin() = 0;
  // The background computation has ended, successfully or not.
  virtual void on_work_done(const Result<void>& outcome) = 0;
  // The background computation has ended after it was asked to stop, because the operation is over.
  // The operation may keep what the computation has learned or read.
  virtual void on_work_stopped(const Result<void>& outcome) { static_cast<void>(outcome); }
  virtual void on_time(std::uint64_t timer) { static_cast<void>(timer); }
  virtual void on_blob() {}
  virtual void on_blob_sent(WorkerId to) { static_cast<void>(to); }
  virtual void on_lost(WorkerId worker, const std::string& why) {
    static_cast<void>(worker), static_cast<void>(why);
  }
  virtual void on_round_done(RoundResult result) { static_cast<void>(result); }
  virtual void on_exchange_message(WorkerId from, const std::vector<std::byte>& bytes) {
    static_cast<void>(from), static_cast<void>(bytes);
  }
  virtual void on_exchange_sent(WorkerId to) { static_cast<void>(to); }
  // Ends the operation without an answer. It leaves its round or exchange.
  // REQUIRES: no background computation is under way.
  virtual void abandon() {}

  [[nodiscard]] const proto::ToWorker& command() const { return context_.command; }
  [[nodiscard]] std::uint64_t sequence() const { return command().sequence(); }

 protected:
  [[nodiscard]] const OperationContext& context() const { return context_; }
  [[nodiscard]] State& state() const { return context_.state; }
  [[nodiscard]] Host& host() const { return context_.host; }
  [[nodiscard]] Network& network() const { return context_.network; }
  void fail_with(const Error& error) const { context_.fail(error, std::nullopt); }
  void blame(WorkerId worker, const std::string& why) const {
    context_.fail({ErrorCode::kUnavailable, why}, worker);
  }

 private:
  const OperationContext context_;
};

}  // namespace surety::worker
