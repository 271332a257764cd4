// UCX's library context and worker with our defaults, and waiting for them without busy polling.
#pragma once

#include <ucp/api/ucp.h>

#include <memory>
#include <string>

#include "base/posix/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace surety::fabric {

// Our text for a UCX status.
[[nodiscard]] std::string text_of(ucs_status_t status);

struct ContextDeleter {
  void operator()(ucp_context_h context) const { ucp_cleanup(context); }
};
struct WorkerDeleter {
  void operator()(ucp_worker_h worker) const { ucp_worker_destroy(worker); }
};

// One UCX worker in a context of its own. Everything except wake() belongs to one thread.
//
// Defaults, each used only if the environment does not set another value: TCP (error handling needs
// it, and other transports bypass shaped links); rendezvous from 128 KiB; and no log below fatal,
// because this code reports the failures that UCX would log.
class UcxContext {
 public:
  // `interface` is the only one on which UCX may listen and send; empty means all. UCX opens
  // further ports in addition to that of our listener, and these must not be reachable from more
  // hosts than the listener.
  [[nodiscard]] static Result<std::unique_ptr<UcxContext>> make(const std::string& interface);

  [[nodiscard]] ucp_worker_h worker() const { return worker_.get(); }
  // Lets UCX make progress. Returns true if there was progress.
  bool progress() { return ucp_worker_progress(worker_.get()) != 0; }
  // Sleeps until there is something to progress, wake() is called, or `wait` is over. Returns true
  // if wake() was called, now or since the last call.
  bool sleep(Duration wait);
  // May be called from any thread. The current or the next sleep() ends at once.
  void wake();

 private:
  UcxContext() = default;
  std::unique_ptr<ucp_context, ContextDeleter> context_;
  std::unique_ptr<ucp_worker, WorkerDeleter> worker_;
  int worker_fd_ = -1;  // Owned by the UCX worker.
  posix::Fd wake_fd_;
};

}  // namespace surety::fabric
