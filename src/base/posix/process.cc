#include "base/posix/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/posix/clock.h"

namespace surety::posix {
namespace {

// The whole environment of the child, as "KEY=value": our environment, in which the values of
// `extra` are added or replace ours.
std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string key(text.substr(0, text.find('=')));
    if (!extra.contains(key)) entries.emplace_back(text);
  }
  for (const auto& [key, value] : extra) entries.push_back(key + "=" + value);
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Everything that the child needs, prepared before the fork: in a process with threads, the child
// must not allocate or lock between fork and exec.
struct Launch {
  char** argv;
  char** environment;
  int output_fd;  // -1 means inherited.
  int failure_fd;
  pid_t parent;
  bool dies_with_parent;
  bool own_process_group;
};

[[noreturn]] void run_child(const Launch& launch) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (launch.own_process_group) {
    ::setpgid(0, 0);
    // A closed terminal sends no SIGHUP to this group. But when the parent dies, the kernel sends
    // SIGHUP to a group with a stopped process. The worker would then leave instead of waiting for
    // the next coordinator.
    ::signal(SIGHUP, SIG_IGN);
  }
  if (launch.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != launch.parent) ::_exit(127);  // The parent ended before prctl() was called.
  }
  if (launch.output_fd >= 0) {
    ::dup2(launch.output_fd, STDOUT_FILENO);
    ::dup2(launch.output_fd, STDERR_FILENO);
  }
  ::execvpe(launch.argv[0], launch.argv, launch.environment);
  const int error_number = errno;
  [[maybe_unused]] const ssize_t ignored =
      ::write(launch.failure_fd, &error_number, sizeof error_number);
  ::_exit(127);
}

constexpr Duration kKilledWait = std::chrono::seconds(5);

// Called by number, because the header of glibc 2.36 declares pidfd_open() only for C.
int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

ExitStatus status_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.signal = WTERMSIG(wait_status)};
  return {.code = WEXITSTATUS(wait_status)};
}

// The errno that the child wrote after a failed exec; 0 if exec succeeded and closed the pipe.
int exec_error(int fd) {
  int error_number = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd, &error_number, sizeof error_number);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof error_number) ? error_number : 0;
}

}  // namespace

std::string ExitStatus::text() const {
  if (!is_known) return "ended";
  if (!signal) return fmt::format("exit code {}", code);
  const char* name = ::sigdescr_np(*signal);
  return fmt::format("signal {} ({})", *signal, name ? name : "unknown");
}

Result<Process> Process::start(const ProcessOptions& options) {
  SURETY_CHECK(!options.argv.empty());
  Fd output;
  if (!options.output.empty()) {
    SURETY_TRY(output, open_fd(options.output, O_WRONLY | O_CREAT | O_APPEND, 0666));
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, options.argv[0], "start");
  const Fd failure_read(ends[0]);
  Fd failure_write(ends[1]);

  std::vector<std::string> argv = options.argv;
  std::vector<std::string> environment = merged_environment(options.environment);
  const std::vector<char*> argv_pointers = pointers_to(argv);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const Launch launch{.argv = const_cast<char**>(argv_pointers.data()),
                      .environment = const_cast<char**>(environment_pointers.data()),
                      .output_fd = output.get(),
                      .failure_fd = failure_write.get(),
                      .parent = ::getpid(),
                      .dies_with_parent = options.dies_with_parent,
                      .own_process_group = options.own_process_group};
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, options.argv[0], "start");
  if (pid == 0) run_child(launch);

  Process process(pid, Fd(open_pidfd(pid)), true);
  failure_write.reset(-1);
  if (const int error_number = exec_error(failure_read.get()); error_number != 0) {
    return fail_errno(error_number, options.argv[0], "start");
  }
  if (!process.exit_fd_.is_open()) {
    return fail(ErrorCode::kUnavailable, "{}: started, but the process cannot be watched",
                options.argv[0]);
  }
  return process;
}

Result<Process> Process::adopt(pid_t pid) {
  Process process(pid, Fd(open_pidfd(pid)), false);
  if (process.exit_fd_.is_open()) return process;
  process.pid_ = 0;  // The destructor must not end any process.
  return fail(ErrorCode::kUnavailable, "process {}: {}", pid, std::strerror(errno));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      exit_fd_(std::move(other.exit_fd_)),
      is_child_(other.is_child_),
      status_(other.status_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exit_fd_, other.exit_fd_);
  std::swap(is_child_, other.is_child_);
  std::swap(status_, other.status_);
  return *this;
}

Process::~Process() {
  if (pid_ != 0) terminate(Duration::zero());
}

std::optional<ExitStatus> Process::poll() {
  SURETY_CHECK(pid_ != 0);
  if (status_) return status_;
  if (!is_child_) {
    if (wait_for_exit(0)) status_ = ExitStatus{.is_known = false};
    return status_;
  }
  int wait_status = 0;
  if (::waitpid(pid_, &wait_status, WNOHANG) == pid_) status_ = status_of(wait_status);
  return status_;
}

std::optional<ExitStatus> Process::wait(Duration patience) {
  const Time deadline = now() + patience;
  while (!poll()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now());
    if (left.count() <= 0) return std::nullopt;
    // Each wait takes at most a minute, so that a long patience does not overflow an int. A signal
    // only ends a wait early.
    wait_for_exit(static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
  }
  return status_;
}

bool Process::wait_for_exit(int patience_ms) const {
  pollfd exit{.fd = exit_fd_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&exit, 1, patience_ms) > 0;
}

// A child keeps its pid until we have waited for it. A process that is not our child may have
// ended, and another process may have its pid. The pid descriptor distinguishes the two.
void Process::kill(int signal) const {
  if (is_child_) {
    ::kill(pid_, signal);
  } else {
    ::syscall(SYS_pidfd_send_signal, exit_fd_.get(), signal, nullptr, 0);
  }
}

void Process::send_signal(int signal) {
  if (!poll()) kill(signal);
}

ExitStatus Process::terminate(Duration grace) {
  if (grace > Duration::zero()) {
    send_signal(SIGTERM);
    if (const auto status = wait(grace)) return *status;
  }
  if (poll()) return *status_;
  kill(SIGKILL);
  // A process that waits for a dead disk or device ends only when the disk or device answers.
  if (!wait(kKilledWait)) status_ = ExitStatus{.is_known = false};
  return *status_;
}

}  // namespace surety::posix
