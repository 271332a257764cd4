// Makes a process slow by stopping and continuing it in turns.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <thread>

namespace surety::bench {

class SlowProcess {
 public:
  // While this object exists, the process runs for `share` of each period of 40 ms. Shorter periods
  // would cost more switches; longer ones would have the effect of pauses instead of a slow
  // process.
  SlowProcess(pid_t pid, double share);
  ~SlowProcess();
  SlowProcess(const SlowProcess&) = delete;
  SlowProcess& operator=(const SlowProcess&) = delete;

 private:
  void run(double share);
  pid_t pid_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace surety::bench
