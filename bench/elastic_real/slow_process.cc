#include "slow_process.h"

#include <csignal>

namespace surety::bench {

SlowProcess::SlowProcess(pid_t pid, double share) : pid_(pid), thread_([=, this] { run(share); }) {}

SlowProcess::~SlowProcess() {
  stop_ = true;
  thread_.join();
}

void SlowProcess::run(double share) {
  static constexpr std::chrono::duration<double> kPeriod(0.04);
  while (!stop_) {
    std::this_thread::sleep_for(share * kPeriod);
    ::kill(pid_, SIGSTOP);
    std::this_thread::sleep_for((1 - share) * kPeriod);
    ::kill(pid_, SIGCONT);
  }
}

}  // namespace surety::bench
