// Which workers have ended although no fault had hit them and nobody had told them to.
//
// It is told which worker processes there are, again and again. One that is not there any more has
// ended. An end is expected once if a fault has killed the worker, and at about the time at which a
// coordinator has ended in order, because that sends a Bye to its workers.
//
// This code is pure: time and processes are arguments.
#pragma once

#include <sys/types.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace surety::bench {

struct UnexpectedExit {
  pid_t pid = 0;
  Time at{};
  std::string logs;  // The last line of each worker's log at that time.
};

class WorkerExits {
 public:
  // What can be seen of the run, when a worker is missing.
  struct Sight {
    // The process exists, though it was not found: between fork and exec, a process has no
    // environment for a moment.
    std::function<bool(pid_t)> exists;
    // The run has ended: its workers are told so, and its coordinator may end much later.
    std::function<bool()> is_over;
    std::function<std::string()> last_lines;
  };
  explicit WorkerExits(Sight sight) : sight_(std::move(sight)) {}

  // A fault ends this worker.
  void expect(pid_t worker) { expected_.insert(worker); }
  void on_bye(Time at) { byes_.push_back(at); }
  // These workers were found now.
  void update(std::set<pid_t> found, Time now);

  // Only a worker that had joined can exit unexpectedly. Other processes exist for a moment, too,
  // such as that of a sanitizer which searches for leaks.
  [[nodiscard]] std::vector<UnexpectedExit> unexpected(const std::set<pid_t>& joined) const;

 private:
  Sight sight_;
  std::set<pid_t> alive_;
  std::set<pid_t> expected_;
  // May include workers that were told to end; unexpected() leaves those out.
  std::vector<UnexpectedExit> exits_;
  std::vector<Time> byes_;
};

}  // namespace surety::bench
