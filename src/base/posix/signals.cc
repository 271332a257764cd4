#include "base/posix/signals.h"

#include <csignal>

#include <atomic>

#include "base/check.h"

namespace surety::posix {
namespace {

// A signal handler has no argument to carry state: this is the one thing it can reach.
std::atomic<int> stop_count = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a handler may not lock");

void count_one(int) { stop_count.fetch_add(1); }

}  // namespace

void count_stop_signals() {
  stop_count.store(0);
  struct sigaction action {};
  action.sa_handler = count_one;  // Without SA_RESTART: poll() returns and the shell looks.
  sigemptyset(&action.sa_mask);
  SURETY_CHECK(sigaction(SIGINT, &action, nullptr) == 0);
  SURETY_CHECK(sigaction(SIGTERM, &action, nullptr) == 0);
}

int stop_signals() { return stop_count.load(); }

}  // namespace surety::posix
