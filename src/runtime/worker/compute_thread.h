// The thread for the background computations of a worker (worker/operations/host.h), one at a time.
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
  struct Computation {
    worker::Work::Kind kind;
    std::function<Result<void>(const worker::WorkLimits&)> run;
  };

  // `on_done` is called by the thread after each computation.
  explicit ComputeThread(std::function<void()> on_done);
  // Asks the computation that is under way to stop, and waits for its end.
  ~ComputeThread();
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;

  // REQUIRES: no computation is under way, and the outcome of the last one was taken.
  void start(Computation computation);
  // Asks the computation that is under way to stop. Some kinds run to their end nevertheless
  // (worker::Host::stop_work()).
  void stop() { stop_ = true; }
  // Returns the outcome of the computation, once. Unavailable: the computation threw an exception.
  [[nodiscard]] std::optional<Result<void>> take_outcome();

 private:
  void run();

  const std::function<void()> on_done_;
  std::atomic<bool> stop_ = false;  // The current computation should end.
  std::mutex mutex_;                // Guards what follows.
  std::condition_variable changed_;
  std::optional<Computation> current_;
  std::optional<Result<void>> outcome_;
  bool is_closing_ = false;
  std::thread thread_;  // The last member, because it uses all of the above.
};

}  // namespace surety::runtime
