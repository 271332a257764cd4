// Starts the programs of this build and watches them, for tests of whole runs.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"
#include "orchestrator/history/run_state.h"
#include "plan/plan.h"

namespace surety::cli {

using Records = std::vector<proto::JournalRecord>;
using Predicate = std::function<bool(const Records&)>;

// More passes than any machine makes during a test.
constexpr int kEndless = 1'000'000;

// The number of passes of training in a journal.
[[nodiscard]] std::size_t passes(const Records& records);
// Process ids of the workers, in the order in which they joined.
[[nodiscard]] std::vector<pid_t> workers(const Records& records);
// Counts the workers that went in this way, "leave" or "lost".
[[nodiscard]] std::size_t gone(const Records& records, const std::string& kind);
// Counts the workers that were declared lost because they sent nothing. On a busy machine, this
// happens to a worker that is stopped for a second. Such a worker joins again.
[[nodiscard]] std::size_t silent(const Records& records);
[[nodiscard]] bool has_ended(const Records& records);
// Writes the journal of a run's folder anew, with right lengths and checksums.
void write_journal(const std::filesystem::path& run, const Records& records);
// Kills the processes and waits for their end, because a resumed run would expect a process that
// still exists to join.
void kill_and_wait(const std::vector<pid_t>& pids);

struct Finished {
  int code = -1;
  std::string output;  // The text of stdout and stderr.
};

class Runs {
 public:
  Runs();

  // Writes a job for a linear model and 3,000 generated rows; `more` is YAML to append. Returns its
  // path.
  std::string glm_job(const std::string& more = "");
  // Arguments that train that job into the folder `run` for exactly this many passes, however good
  // the model becomes and however long it takes. `sets` holds further settings of the job.
  std::vector<std::string> training(int passes_max, const std::vector<std::string>& sets = {});
  // Writes a plan for this job as a plan.json; returns its path.
  std::string plan_file(const plan::Plan& plan, const std::string& job,
                        const std::vector<std::string>& sets);
  // Runs `surety ...` to its end.
  Finished surety(std::vector<std::string> arguments);
  // Does the same with a reader who closes the output after its first line.
  Finished surety_unread(std::vector<std::string> arguments);
  // Does the same in that working folder.
  Finished surety_in(const std::string& folder, std::vector<std::string> arguments);
  // Starts `surety ...`; its output goes to the file `name`.
  posix::Process start(std::vector<std::string> arguments, const std::string& name,
                       std::map<std::string, std::string> environment = {});
  std::string output(const std::string& name) const;
  // The address that workers join, read from the output in the file `name` once the run listens.
  std::string address(const std::string& name) const;
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  Records journal(const std::string& run) const;

  // Each of these waits until its condition holds; the first two read the journal of the folder
  // `run`. A failure names the condition and shows the ends of all outputs. It comes at once if the
  // condition does not hold and `process`, where one is named, has ended.
  [[nodiscard]] ::testing::AssertionResult wait_for(const std::string& what,
                                                    const Predicate& predicate,
                                                    posix::Process* process = nullptr) const;
  [[nodiscard]] ::testing::AssertionResult wait_for_passes(std::size_t count,
                                                           posix::Process* process = nullptr) const;
  // Waits until the output contains the text this many times.
  [[nodiscard]] ::testing::AssertionResult wait_for_output(const std::string& name,
                                                           const std::string& text,
                                                           std::size_t times = 1,
                                                           posix::Process* process = nullptr) const;

  // Disturbs a run in its middle if the same run must also end by itself: the disturbance must come
  // before the end, even on a slow machine. `disturb` gets an empty folder and a number of passes
  // for the run, and returns whether it came in time. If not, it is called again with four times as
  // many passes.
  void in_time(int passes_max, const std::function<bool(int passes_max)>& disturb);
  // For use in `disturb`: waits until the journal of `run` satisfies the predicate. Returns false
  // if the process ended before that.
  [[nodiscard]] bool comes(posix::Process& process, const std::string& what,
                           const Predicate& predicate) const;
  // For use in `disturb`: kills the process. Returns false if the run had ended before.
  [[nodiscard]] bool kill(posix::Process& process) const;

 private:
  Finished run(std::vector<std::string> arguments);  // Runs any program to its end.
  // Returns the ends of all outputs.
  std::string outputs() const;

  posix::TemporaryFolder folder_;
  std::filesystem::path program_;
  std::vector<std::string> outputs_;  // File names of the outputs.
};

}  // namespace surety::cli
