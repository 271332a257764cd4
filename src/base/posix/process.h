// A child process: start it, learn how it ended, stop it.
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
  std::vector<std::string> argv{};  // argv[0] is a path, or a name looked up in PATH.
  std::map<std::string, std::string> environment{};  // Added to ours, or in place of ours.
  std::filesystem::path output{};  // Gets stdout and stderr, at its end; empty: both are inherited.
  // The child gets SIGTERM when the *thread* that started it ends, however it ends (kill -9 too).
  bool dies_with_parent = false;
  // Ctrl-C on the terminal reaches us and not the child: whoever started it decides when it goes.
  bool own_process_group = false;
};

struct ExitStatus {
  int code = 0;          // What it returned; 0 where a signal ended it.
  int signal = 0;        // The signal that ended it, or 0.
  bool is_known = true;  // False: it was not our child, and only its parent is told.

  [[nodiscard]] bool ok() const { return is_known && code == 0 && signal == 0; }
  [[nodiscard]] std::string text() const;  // "exit code 3", "signal 9 (Killed)", "ended"
};

// Owns a process. One that still runs when its owner goes is killed: no orphans.
class Process {
 public:
  // InvalidInput where the program or the output file cannot be opened, Unavailable where the
  // machine has no room for a process. REQUIRES: argv is not empty.
  [[nodiscard]] static Result<Process> start(const ProcessOptions& options);
  // One that somebody else started, and whose own parent is gone. Unavailable where it has ended.
  [[nodiscard]] static Result<Process> adopt(pid_t pid);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Becomes readable when the child ends: for a poll loop.
  [[nodiscard]] int exit_fd() const { return exit_fd_.get(); }

  // How it ended, or nothing while it runs; never waits.
  [[nodiscard]] std::optional<ExitStatus> poll();
  // The same, and waits up to `patience` for it.
  [[nodiscard]] std::optional<ExitStatus> wait(Duration patience);
  // Does nothing where the child has ended.
  void send_signal(int signal);
  // SIGTERM, then after `grace` SIGKILL; returns when it has ended.
  ExitStatus terminate(Duration grace);
  // It goes on without an owner, and this is as if moved from.
  void release() { pid_ = 0; }

 private:
  Process(pid_t pid, Fd exit_fd, bool is_child)
      : pid_(pid), exit_fd_(std::move(exit_fd)), is_child_(is_child) {}
  bool wait_for_exit(int patience_ms) const;
  void kill(int signal) const;

  pid_t pid_ = 0;  // 0: moved from.
  Fd exit_fd_;
  bool is_child_ = true;  // Else init waits for it, and its exit status is not ours to know.
  std::optional<ExitStatus> status_;  // Once known, the pid may belong to somebody else.
};

}  // namespace surety::posix
