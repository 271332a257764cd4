// A child process: starts it, reports how it ended, and stops it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace surety::posix {

struct ProcessOptions {
  std::vector<std::string> argv{};  // argv[0] is a path, or a name that is searched in PATH.
  // Variables that are added to this process's environment, or replace variables of it.
  std::map<std::string, std::string> environment{};
  // Stdout and stderr are appended to this file; if empty, both are inherited.
  std::filesystem::path output{};
  // The child gets SIGTERM when the *thread* that started it ends in any way (also by kill -9).
  bool dies_with_parent = false;
  // Ctrl-C on the terminal and a closed terminal reach this process but not the child, so this
  // process decides when the child ends.
  bool own_process_group = false;
};

struct ExitStatus {
  int code = 0;                 // Exit code, if no signal ended the process.
  std::optional<int> signal{};  // The signal that ended it.
  // False if it was not a child of this process, because only its parent gets the status.
  bool is_known = true;

  [[nodiscard]] bool ok() const { return is_known && code == 0 && !signal; }
  [[nodiscard]] std::string text() const;  // "exit code 3", "signal 9 (Killed)", "ended"
};

// Owns a process. If it still runs when its owner is destroyed, it is killed, so that none is left
// over.
class Process {
 public:
  // Starts a process. InvalidInput if the program or the output file cannot be opened; Unavailable
  // if the machine has no room for a process. REQUIRES: argv is not empty.
  [[nodiscard]] static Result<Process> start(const ProcessOptions& options);
  // Takes over a process that another one has started, and whose parent has ended. Unavailable if
  // it has ended.
  [[nodiscard]] static Result<Process> adopt(pid_t pid);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // A descriptor that becomes readable when the process ends, for a poll loop.
  [[nodiscard]] int exit_fd() const { return exit_fd_.get(); }

  // How the process ended, or nullopt while it runs; never waits.
  [[nodiscard]] std::optional<ExitStatus> poll();
  // Waits up to `patience` for the end. Returns how the process ended, or nullopt while it runs.
  [[nodiscard]] std::optional<ExitStatus> wait(Duration patience);
  // Does nothing if the process has ended.
  void send_signal(int signal);
  // Sends SIGTERM and, after `grace`, SIGKILL. Returns when the process has ended, or five seconds
  // later if the system cannot end it: then its status is not known.
  ExitStatus terminate(Duration grace);
  // Lets the process run without an owner; this object is then like a moved-from one.
  void release() { pid_ = 0; }

 private:
  Process(pid_t pid, Fd exit_fd, bool is_child)
      : pid_(pid), exit_fd_(std::move(exit_fd)), is_child_(is_child) {}
  bool wait_for_exit(int patience_ms) const;
  void kill(int signal) const;

  pid_t pid_ = 0;  // 0 after a move.
  Fd exit_fd_;
  // If false, init waits for the process, and this process does not get its exit status.
  bool is_child_ = true;
  std::optional<ExitStatus> status_;  // Once the status is known, another process may have the pid.
};

}  // namespace surety::posix
