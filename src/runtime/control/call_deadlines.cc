#include "runtime/control/call_deadlines.h"

#include <grpcpp/server_context.h>

#include <algorithm>

#include "base/posix/clock.h"

namespace surety::runtime {

CallDeadlines::CallDeadlines()
    : thread_([this](const std::stop_token& stop) { cancel_late(stop); }) {}

CallDeadlines::~CallDeadlines() {
  thread_.request_stop();
  thread_.join();
}

void CallDeadlines::set(grpc::ServerContext& call, Time at) {
  {
    const std::lock_guard lock(mutex_);
    calls_[&call] = at;
  }
  changed_.notify_one();
}

void CallDeadlines::remove(grpc::ServerContext& call) {
  const std::lock_guard lock(mutex_);
  calls_.erase(&call);
}

void CallDeadlines::cancel_late(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !calls_.empty(); })) {
    const auto next = std::ranges::min_element(
        calls_, {}, [](const auto& call_and_time) { return call_and_time.second; });
    const Time at = next->second;
    if (const Duration left = at - posix::now(); left > Duration::zero()) {
      // An earlier deadline may be set meanwhile.
      changed_.wait_for(lock, stop, left, [&] {
        return std::ranges::any_of(calls_, [&](const auto& other) { return other.second < at; });
      });
      continue;
    }
    next->first->TryCancel();
    calls_.erase(next);
  }
}

}  // namespace surety::runtime
