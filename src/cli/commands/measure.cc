#include "cli/commands/measure.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/posix/temporary_folder.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/measure_again.h"
#include "learn/linear/task_factory.h"
#include "runtime/coordinator/measuring_process.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;

// The measurement is stopped after this time.
constexpr auto kMeasuringTakes = std::chrono::hours(1);
constexpr const char* kMetricCheck = "the certified metric is measured again";

// The output of the process is of no use once it was read.
Result<certificate::MetricValues> measure_in_process(const fs::path& folder, const ReadRun& run) {
  SURETY_TRY(const auto scratch, posix::TemporaryFolder::create());
  SURETY_TRY(runtime::MeasuringProcess process,
             runtime::MeasuringProcess::start(measuring_program(run.job), folder,
                                              scratch->path() / "measured"));
  const auto values = process.wait(kMeasuringTakes);
  if (values) return *values;
  return fail(ErrorCode::kUnavailable, "it takes more than an hour");
}

}  // namespace

Check check_metric(const fs::path& folder, const ReadRun& run) {
  const auto measured = measure_in_process(folder, run);
  if (!measured) return metric_not_measured(measured.error().message);
  const certificate::Certified& certified = *run.state.record.certified;
  return {kMetricCheck, agree(*measured, values_of(certified), run.job.promise.metric),
          fmt::format("found {:.6g} on {}, certified {:.6g} on {}", measured->metric,
                      counted(measured->samples, "sample"), certified.metric, certified.samples)};
}

Check metric_not_measured(std::string_view reason) {
  return {kMetricCheck, std::nullopt,
          "not measured again: " + plain_text(reason, kMessageBytesMax)};
}

void add_measure(CLI::App& app, Action& chosen, learn::TaskFactory factory) {
  const auto folder = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("measure", "Measure the certified metric of a run again");
  command.group("");  // `surety run` and `surety verify` call it.
  command.add_option("run", *folder, "The run's folder")->required()->type_name("RUN");
  command.callback([folder, factory = std::move(factory), &chosen] {
    chosen = [folder, factory] {
      const auto measured = [&]() -> Result<ModelMeasurement> {
        const Result<ReadRun> run = read_run(*folder);
        // Only files of the checkpoint may be Corrupt here.
        if (!run) return fail(ErrorCode::kUnavailable, "{}", run.error().message);
        if (!run->state.record.certified) {
          return fail(ErrorCode::kInvalidInput, "{}: nothing was certified", *folder);
        }
        return measure_again(*folder, *run, factory);
      }();
      // The last line is the result.
      if (measured && measured->worthless) {
        fmt::print("{}\n", plain_text(*measured->worthless, kMessageBytesMax));
      }
      const std::string line =
          measured ? runtime::to_json(measured->values) : runtime::to_json(measured.error());
      const bool is_written = std::puts(line.c_str()) >= 0 && std::fflush(stdout) == 0;
      return static_cast<int>(measured && is_written ? kKept : kFailed);
    };
  });
}

void add_measure(CLI::App& app, Action& chosen) { add_measure(app, chosen, learn::glm_only()); }

}  // namespace surety::cli
