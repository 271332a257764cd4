// Finds workers that have ended although no fault has hit them and they were not told to end.
//
// It repeatedly gets the list of worker processes. A process that is not in the list any more has
// ended. An end is expected once if a fault has killed the worker, and at about the time of an
// orderly end of a coordinator, because the coordinator then sends a Bye to its workers.
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
  // The observations of the run at the time when a worker is missing.
  struct Sight {
    // Whether the process exists although it was not found: between fork and exec, a process has no
    // environment for a moment.
    std::function<bool(pid_t)> exists;
    // The workers are told that the run is over; its coordinator may end much later.
    std::function<bool()> is_over;
    std::function<std::string()> last_lines;
  };
  explicit WorkerExits(Sight sight) : sight_(std::move(sight)) {}

  // A fault ends this worker.
  void expect(pid_t worker) { expected_.insert(worker); }
  void on_bye(Time at) { byes_.push_back(at); }
  // These workers were found now.
  void update(std::set<pid_t> found, Time now);

  // Only a worker that had joined can exit unexpectedly. Other processes also exist for a moment,
  // such as that of a sanitizer that searches for leaks.
  [[nodiscard]] std::vector<UnexpectedExit> unexpected(const std::set<pid_t>& joined) const;

 private:
  Sight sight_;
  std::set<pid_t> alive_;
  std::set<pid_t> expected_;
  // May include workers that were told to end, which unexpected() omits.
  std::vector<UnexpectedExit> exits_;
  std::vector<Time> byes_;
};

}  // namespace surety::bench
