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
#include "orchestrator/run_state.h"
#include "plan/plan.h"

namespace surety::cli {

using Records = std::vector<proto::JournalRecord>;
using Predicate = std::function<bool(const Records&)>;

// More passes than any machine makes while a test looks on.
constexpr int kEndless = 1'000'000;

// Passes of training that a journal tells of.
[[nodiscard]] std::size_t passes(const Records& records);
// Process ids of the workers, in the order in which they joined.
[[nodiscard]] std::vector<pid_t> workers(const Records& records);
[[nodiscard]] bool has_ended(const Records& records);

struct Finished {
  int code = -1;
  std::string output;  // stdout and stderr.
};

class Runs {
 public:
  Runs();

  // A job that a linear model learns from 3,000 generated rows; `more` is YAML to append.
  std::string glm_job(const std::string& more = "");
  // Arguments that train that job into the folder `run` for so many passes, however good the model
  // becomes and however long it takes. `sets`: other keys of the job.
  std::vector<std::string> training(int passes_max, const std::vector<std::string>& sets = {});
  // Writes a plan that was made for this job as a plan.json; returns its path.
  std::string plan_file(const plan::Plan& plan, const std::string& job,
                        const std::vector<std::string>& sets);
  // Runs `surety ...` to its end.
  Finished surety(std::vector<std::string> arguments);
  // The same where whoever reads the output goes after its first line.
  Finished surety_unread(std::vector<std::string> arguments);
  // The same with that working folder.
  Finished surety_in(const std::string& folder, std::vector<std::string> arguments);
  // Starts `surety ...`; its output goes to the file `name`.
  posix::Process start(std::vector<std::string> arguments, const std::string& name,
                       std::map<std::string, std::string> environment = {});
  std::string output(const std::string& name) const;
  // Where workers join, as the output in the file `name` tells once the run listens.
  std::string address(const std::string& name) const;
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  Records journal(const std::string& run) const;

  // Each waits until it is so. A failure says what was waited for, and shows the ends of all
  // outputs.
  [[nodiscard]] ::testing::AssertionResult wait_for(const std::string& what,
                                                    const Predicate& predicate,
                                                    const std::string& run = "run") const;
  [[nodiscard]] ::testing::AssertionResult wait_for_passes(std::size_t count,
                                                           const std::string& run = "run") const;
  // Until the text stands in it so many times.
  [[nodiscard]] ::testing::AssertionResult wait_for_output(const std::string& name,
                                                           const std::string& text,
                                                           std::size_t times = 1) const;

  // For what must be done to a run in its middle, where the run must also come to its end by
  // itself: however slow the test is, it must not be late. `disturb` gets an empty folder and a
  // number of passes for the run, and returns whether it came in time; if not, the next one gets
  // four times as many.
  void in_time(int passes_max, const std::function<bool(int passes_max)>& disturb);
  // For `disturb`: waits until the journal of `run` satisfies the predicate. False: the process
  // has ended before.
  [[nodiscard]] bool comes(posix::Process& process, const std::string& what,
                           const Predicate& predicate) const;
  // For `disturb`: false where the run had ended before.
  [[nodiscard]] bool kill(posix::Process& process) const;

 private:
  Finished run(std::vector<std::string> arguments);  // Of any program.
  // The ends of all outputs.
  std::string outputs() const;

  posix::TemporaryFolder folder_;
  std::filesystem::path program_;
  std::vector<std::string> outputs_;  // Their names.
};

}  // namespace surety::cli
