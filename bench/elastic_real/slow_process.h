// A slower processor for some processes: they are stopped and go on again, in turns.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <thread>

namespace surety::bench {

class SlowProcess {
 public:
  // The process runs for `share` of each period of 40 ms from now on, until this goes. Shorter
  // periods cost more switches; longer ones would show as pauses and not as slowness.
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
