// A thread that carries out the works of a worker (worker/operations/host.h), one at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"
#include "worker/operations/host.h"

namespace surety::runtime {

class ComputeThread {
 public:
  // `on_done` is called by the thread after each work.
  explicit ComputeThread(std::function<void()> on_done);
  // Stops the work that is under way and waits for its end.
  ~ComputeThread();
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;

  // REQUIRES: no work is under way, and the outcome of the last one was taken.
  void start(std::function<Result<void>(const worker::WorkLimits&)> run);
  // The work that is under way should end soon.
  void stop() { stop_ = true; }
  // The outcome of the work, once. Unavailable: it threw an exception.
  [[nodiscard]] std::optional<Result<void>> take_outcome();

 private:
  void run();

  const std::function<void()> on_done_;
  std::atomic<bool> stop_ = false;  // The current work should end.
  std::mutex mutex_;                // Guards what follows.
  std::condition_variable changed_;
  std::function<Result<void>(const worker::WorkLimits&)> work_;
  std::optional<Result<void>> outcome_;
  bool is_closing_ = false;
  std::thread thread_;  // The last member, because it uses all of the above.
};

}  // namespace surety::runtime
