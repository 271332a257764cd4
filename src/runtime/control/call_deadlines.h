// Cancels calls that take too long, because a worker does not send Hello or does not receive the
// messages that are sent to it. Such a call would occupy its threads until the end of the run.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/time.h"

namespace grpc {
class ServerContext;
}  // namespace grpc

namespace surety::runtime {

// All functions may be called by any thread.
class CallDeadlines {
 public:
  CallDeadlines();
  ~CallDeadlines();
  CallDeadlines(const CallDeadlines&) = delete;
  CallDeadlines& operator=(const CallDeadlines&) = delete;

  // The call is cancelled at this time, unless remove() or another set() comes before.
  // REQUIRES: remove() is called before the call ends.
  void set(grpc::ServerContext& call, Time at);
  // The call is not cancelled any more when this returns.
  void remove(grpc::ServerContext& call);

 private:
  void cancel_late(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<grpc::ServerContext*, Time> calls_;
  std::jthread thread_;  // The last member, because it uses those above.
};

}  // namespace surety::runtime
