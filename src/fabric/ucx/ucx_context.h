// UCX's library context and worker, with our defaults, and waiting for them without spinning.
#pragma once

#include <ucp/api/ucp.h>

#include <memory>
#include <string>

#include "base/posix/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace surety::fabric {

// How UCX says what went wrong, as ours.
[[nodiscard]] std::string text_of(ucs_status_t status);

struct ContextDeleter {
  void operator()(ucp_context_h context) const { ucp_cleanup(context); }
};
struct WorkerDeleter {
  void operator()(ucp_worker_h worker) const { ucp_worker_destroy(worker); }
};

// One UCX worker in a context of its own; everything but wake() belongs to one thread.
//
// Defaults, each only where the environment does not say otherwise: TCP (error handling needs it,
// and other ways bypass shaped links), rendezvous from 128 KiB, and no log below fatal, since the
// failures that UCX logs are ours to report.
class UcxContext {
 public:
  // `interface`: the only one that UCX may listen and send on; empty: all. UCX opens ports of its
  // own beside our listener's, which must not be reachable from further away than that is.
  [[nodiscard]] static Result<std::unique_ptr<UcxContext>> make(const std::string& interface);

  [[nodiscard]] ucp_worker_h worker() const { return worker_.get(); }
  // Lets UCX do what it can; true if that was something.
  bool progress() { return ucp_worker_progress(worker_.get()) != 0; }
  // Sleeps until there is something to progress, wake() is called, or `wait` is over. True: woken
  // by wake(), now or since the last call.
  bool sleep(Duration wait);
  // From any thread: the sleep under way, or the next one, ends at once.
  void wake();

 private:
  UcxContext() = default;
  std::unique_ptr<ucp_context, ContextDeleter> context_;
  std::unique_ptr<ucp_worker, WorkerDeleter> worker_;
  int worker_fd_ = -1;  // The worker's own.
  posix::Fd wake_fd_;
};

}  // namespace surety::fabric
