#include "runtime/worker/compute_thread.h"

#include <exception>
#include <utility>

#include "base/check.h"

namespace surety::runtime {
namespace {

// Libraries may throw, for example libtorch when memory is exhausted. Here an exception becomes an
// error.
Result<void> guarded(const std::function<Result<void>(const worker::WorkLimits&)>& work,
                     const worker::WorkLimits& limits) {
  try {
    return work(limits);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kUnavailable, "{}", error.what());
  }
}

}  // namespace

ComputeThread::ComputeThread(std::function<void()> on_done)
    : on_done_(std::move(on_done)), thread_([this] { run(); }) {}

ComputeThread::~ComputeThread() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ComputeThread::start(std::function<Result<void>(const worker::WorkLimits&)> run) {
  {
    const std::lock_guard lock(mutex_);
    SURETY_CHECK(!work_ && !outcome_);
    stop_ = false;
    work_ = std::move(run);
  }
  changed_.notify_one();
}

std::optional<Result<void>> ComputeThread::take_outcome() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

void ComputeThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return work_ || is_closing_; });
    if (is_closing_) return;
    lock.unlock();
    Result<void> outcome = guarded(work_, {.stop = stop_});
    lock.lock();
    work_ = nullptr;
    outcome_ = std::move(outcome);
    lock.unlock();
    on_done_();
    lock.lock();
  }
}

}  // namespace surety::runtime
