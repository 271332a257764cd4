#include "base/posix/thread_team.h"

#include "base/check.h"
#include "base/posix/clock.h"

namespace surety::posix {
namespace {

// A thread that waits polls for this long, and then sleeps. To wake a thread takes about as long,
// so a wait costs at most twice as much as the better of polling and sleeping.
constexpr Duration kLooking = std::chrono::microseconds(50);

void breathe() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until `value` is no longer `old`.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  static constexpr int kSpinsPerClockRead = 64;
  const Time until = now() + kLooking;
  do {
    for (int spin = 0; spin < kSpinsPerClockRead; ++spin) {
      if (value.load(std::memory_order_acquire) != old) return;
      breathe();
    }
  } while (now() < until);
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(std::size_t size) {
  SURETY_CHECK(size >= 1);
  try {
    for (std::size_t i = 1; i < size; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (...) {
    end();  // The destructor of a thread that was not joined would end the program.
    throw;
  }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
  part_ = nullptr;
  ++call_;
  call_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(const std::function<void(std::size_t)>& part) {
  part_ = &part;
  left_ = static_cast<std::uint32_t>(threads_.size());
  ++call_;
  call_.notify_all();
  part(0);
  for (std::uint32_t left = left_; left > 0; left = left_) wait_while(left_, left);
}

void ThreadTeam::work(std::size_t index) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(call_, seen);
    if (part_ == nullptr) return;
    (*part_)(index);
    if (--left_ == 0) left_.notify_one();
  }
}

}  // namespace surety::posix
