#include "runtime/worker/compute_thread.h"

#include <exception>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/exception_error.h"

namespace surety::runtime {
namespace {

std::string_view words_of(worker::Work::Kind kind) {
  using Kind = worker::Work::Kind;
  switch (kind) {
    case Kind::kLoad:
      return "reading samples";
    case Kind::kLearn:
      return "learning";
    case Kind::kMerge:
      return "merging updates into the model";
    case Kind::kEvaluate:
      return "evaluating the model";
    case Kind::kSwitch:
      return "switching to another version of the model";
    case Kind::kSave:
      return "writing a checkpoint";
  }
  SURETY_CHECK(false);
}

// Libraries may throw, for example when memory is exhausted. An exception becomes an error here.
Result<void> guarded(const ComputeThread::Computation& computation,
                     const worker::WorkLimits& limits) {
  try {
    return computation.run(limits);
  } catch (const std::exception& error) {
    return tl::unexpected(error_of(error, words_of(computation.kind)));
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

void ComputeThread::start(Computation computation) {
  {
    const std::lock_guard lock(mutex_);
    SURETY_CHECK(!current_ && !outcome_);
    stop_ = false;
    current_ = std::move(computation);
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
    changed_.wait(lock, [this] { return current_ || is_closing_; });
    if (is_closing_) return;
    lock.unlock();
    Result<void> outcome = guarded(*current_, {.stop = stop_});
    lock.lock();
    current_.reset();
    outcome_ = std::move(outcome);
    lock.unlock();
    on_done_();
    lock.lock();
  }
}

}  // namespace surety::runtime
