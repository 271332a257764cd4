// Runs whole commands as processes, measures their time, and reads the runs that `surety train`
// leaves.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "base/result.h"
#include "proto/surety.pb.h"

namespace surety::bench {

struct Taken {
  double wall_s = 0;
  double cpu_s = 0;  // User and system time of the command and of every process that it waited for.
};

// Runs a command to its end and writes its output to the file `output`. Unavailable if its exit
// code is not one of `codes`, or if it does not end within ten minutes.
[[nodiscard]] Result<Taken> run_command(const std::vector<std::string>& argv,
                                        const std::filesystem::path& output,
                                        const std::vector<int>& codes = {0});

// The output so far; empty if there is no such file.
[[nodiscard]] std::string text_of(const std::filesystem::path& file);

using Records = std::vector<proto::JournalRecord>;

// One `surety train` of this build, with its folder and functions to disturb it.
class TrainingRun {
 public:
  // `job` is YAML.
  [[nodiscard]] static Result<TrainingRun> start(const std::filesystem::path& folder,
                                                 const std::string& job);

  [[nodiscard]] Records journal() const;
  // Process ids of the workers, in the order in which they joined.
  [[nodiscard]] std::vector<pid_t> workers() const;
  // Waits until the journal satisfies the predicate. Returns false if the run ended before, or
  // after ten minutes.
  [[nodiscard]] bool wait_for(const std::function<bool(const Records&)>& predicate);
  // Starts one more worker of one thread that joins the run from outside. `command` lacks the run's
  // address, which is added.
  [[nodiscard]] Result<posix::Process> join(const std::vector<std::string>& command) const;
  // The exit code; -1 if the run does not end within ten minutes.
  [[nodiscard]] int finish();
  void stop() { process_.send_signal(SIGINT); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  TrainingRun(std::filesystem::path folder, posix::Process process)
      : folder_(std::move(folder)), process_(std::move(process)) {}
  std::filesystem::path folder_;
  posix::Process process_;
};

// The passes of training in the journal.
[[nodiscard]] std::vector<proto::PassDone> passes_of(const Records& records);

// The path of a program in the same folder as this one.
[[nodiscard]] std::string program(const std::string& name);

}  // namespace surety::bench
