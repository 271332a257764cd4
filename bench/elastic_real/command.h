// Whole commands as processes: what they take, and the runs of `surety train` that they leave.
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
  double cpu_s = 0;  // User and system, of the command and of every process that it waited for.
};

// Runs it to its end; what it prints goes to `output`. Unavailable where it ends with another code
// than one of `codes`, or not within ten minutes.
[[nodiscard]] Result<Taken> run_command(const std::vector<std::string>& argv,
                                        const std::filesystem::path& output,
                                        const std::vector<int>& codes = {0});

// What it has printed so far: of a file that is not there, nothing.
[[nodiscard]] std::string text_of(const std::filesystem::path& file);

using Records = std::vector<proto::JournalRecord>;

// One `surety train` of this build, with its folder and what it needs to be disturbed.
class TrainingRun {
 public:
  // `job` is YAML.
  [[nodiscard]] static Result<TrainingRun> start(const std::filesystem::path& folder,
                                                 const std::string& job);

  [[nodiscard]] Records journal() const;
  // Process ids of the workers, in the order in which they joined.
  [[nodiscard]] std::vector<pid_t> workers() const;
  // False where the run has ended before, or ten minutes are over.
  [[nodiscard]] bool wait_for(const std::function<bool(const Records&)>& predicate);
  // One more worker of one thread, from outside: the command, and where it joins.
  [[nodiscard]] Result<posix::Process> join(const std::vector<std::string>& command) const;
  // Its exit code; -1 where it does not end within ten minutes.
  [[nodiscard]] int finish();
  void stop() { process_.send_signal(SIGINT); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  TrainingRun(std::filesystem::path folder, posix::Process process)
      : folder_(std::move(folder)), process_(std::move(process)) {}
  std::filesystem::path folder_;
  posix::Process process_;
};

// The passes of training that it tells of.
[[nodiscard]] std::vector<proto::PassDone> passes_of(const Records& records);

// A program that lies beside this one.
[[nodiscard]] std::string program(const std::string& name);

}  // namespace surety::bench
