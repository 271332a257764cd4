// Starts the programs of this build and watches them, for tests of whole runs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "orchestrator/run_state.h"

namespace surety::cli {

using Records = std::vector<proto::JournalRecord>;

// Passes of training that a journal tells of.
[[nodiscard]] std::size_t passes(const Records& records);
// Process ids of the workers, in the order in which they joined.
[[nodiscard]] std::vector<pid_t> workers(const Records& records);

struct Finished {
  int code = -1;
  std::string output;  // stdout and stderr.
};

class Runs {
 public:
  Runs();

  // A job that a linear model learns from 3,000 generated rows; `more` is YAML to append.
  std::string glm_job(const std::string& more = "");
  // Runs `surety ...` to its end.
  Finished surety(std::vector<std::string> arguments);
  // Starts `surety ...`; its output goes to the file `name`.
  posix::Process start(std::vector<std::string> arguments, const std::string& name,
                       std::map<std::string, std::string> environment = {});
  std::string output(const std::string& name) const;
  // Where workers join, as the output in the file `name` tells.
  std::string address(const std::string& name) const;
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Waits until the journal of that run satisfies the predicate, at most a minute.
  bool wait_for(const std::string& run,
                const std::function<bool(const std::vector<proto::JournalRecord>&)>& predicate);
  std::vector<proto::JournalRecord> journal(const std::string& run) const;

 private:
  posix::TemporaryFolder folder_;
  std::filesystem::path program_;
};

}  // namespace surety::cli
