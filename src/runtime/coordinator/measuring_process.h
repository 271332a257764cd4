// A process that measures the certified model of a run again (cli/run/measure_again.h), and its
// output. It is a process of its own, so that it shares no memory with a worker, and so that its
// failure does not end the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/posix/process.h"
#include "base/result.h"
#include "base/time.h"
#include "certificate/certificate.h"

namespace surety::runtime {

class MeasuringProcess {
 public:
  // Starts `program measure FOLDER`. Its output goes to the file `output`, which is replaced.
  // InvalidInput or Unavailable: the process cannot be started. REQUIRES: the journal in the folder
  // has a certified result.
  [[nodiscard]] static Result<MeasuringProcess> start(const std::filesystem::path& program,
                                                      const std::filesystem::path& folder,
                                                      const std::filesystem::path& output);

  // The result, or nullopt while the process runs; never waits. Corrupt: files of the checkpoint
  // are missing or damaged. Unavailable: the process ended without a result for another reason.
  // REQUIRES: no earlier call has returned a result.
  [[nodiscard]] std::optional<Result<certificate::MetricValues>> poll();
  // Like poll(), but waits up to `patience` for the end.
  [[nodiscard]] std::optional<Result<certificate::MetricValues>> wait(Duration patience);

 private:
  MeasuringProcess(posix::Process process, std::filesystem::path output)
      : process_(std::move(process)), output_(std::move(output)) {}
  [[nodiscard]] Result<certificate::MetricValues> result(const posix::ExitStatus& status) const;

  posix::Process process_;
  std::filesystem::path output_;
};

// The last line that the process prints: its values, or why it has none.
[[nodiscard]] std::string to_json(const certificate::MetricValues& values);
[[nodiscard]] std::string to_json(const Error& error);

}  // namespace surety::runtime
