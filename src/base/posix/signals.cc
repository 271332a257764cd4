#include "base/posix/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/check.h"

namespace surety::posix {
namespace {

// A signal handler has no argument for state, so this is the only state that it can reach.
std::atomic<int> stop_count = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a handler may not lock");

// What ends the process, while exit_on_stop_signals() holds.
std::atomic<const char*> last_words = nullptr;
std::atomic<int> last_code = 0;
static_assert(std::atomic<const char*>::is_always_lock_free, "a handler may not lock");

void end_now(int) {
  const char* text = last_words.load();
  // If nobody reads the text any more, the process still ends.
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  ::_exit(last_code.load());
}

void count_one(int) { stop_count.fetch_add(1); }

// For signals that come several times for one cause: SIGPIPE for each line that is printed, SIGHUP
// from the shell and from the kernel. They never count as a second signal.
void request_stop(int) {
  int none = 0;
  stop_count.compare_exchange_strong(none, 1);
}

// The reader of the output has ended. Redirects the output to /dev/null, because each further line
// would raise the signal again. A handler may call all of these functions.
void redirect_lost_output(int) {
  const int before = errno;
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    pollfd stream{.fd = output, .events = 0, .revents = 0};
    if (::poll(&stream, 1, 0) != 1 || (stream.revents & (POLLERR | POLLHUP)) == 0) continue;
    request_stop(SIGPIPE);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) continue;
    ::dup2(nowhere, output);
    ::close(nowhere);
  }
  errno = before;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction before {};
  SURETY_CHECK(sigaction(signal, nullptr, &before) == 0);
  if (signal == SIGHUP && before.sa_handler == SIG_IGN) return;  // Under nohup it stays ignored.
  struct sigaction action {};
  action.sa_handler = handler;  // Without SA_RESTART, so that poll() returns and the shell checks.
  sigemptyset(&action.sa_mask);
  SURETY_CHECK(sigaction(signal, &action, nullptr) == 0);
}

}  // namespace

void count_stop_signals() {
  stop_count.store(0);
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, count_one);
  handle(SIGHUP, request_stop);
  handle(SIGPIPE, redirect_lost_output);
}

void exit_on_stop_signals(int code, const char* text) {
  last_words.store(text);
  last_code.store(code);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle(signal, end_now);
}

int stop_signals() { return stop_count.load(); }

}  // namespace surety::posix
