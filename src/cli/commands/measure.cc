#include "cli/commands/measure.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/worker_environment.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/measure_again.h"
#include "learn/linear/task_factory.h"
#include "model/zoo.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;

// The evaluation of a network is stopped after this time.
constexpr auto kMeasuringTakes = std::chrono::hours(1);
constexpr const char* kMetricCheck = "the certified metric is measured again";

std::string to_text(const MeasuredAgain& measured) {
  return json_text(nlohmann::json{
      {"value", measured.value}, {"se", measured.se}, {"samples", measured.samples}});
}

// Networks are measured by surety-worker, because it has libtorch. It prints the result or an
// error.
Result<MeasuredAgain> measure_network(const fs::path& folder) {
  const posix::TemporaryFolder scratch;
  const fs::path output = scratch.path() / "measured";
  const auto threads = static_cast<std::uint32_t>(posix::usable_cores());
  SURETY_TRY(posix::Process process,
             posix::Process::start({.argv = {sibling_program("surety-worker").string(), "measure",
                                             fs::absolute(folder).string()},
                                    .environment = posix::worker_environment(threads),
                                    .output = output}));
  const auto status = process.wait(kMeasuringTakes);
  SURETY_TRY(const std::string text, posix::read_file(output));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto number = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_number();
  };
  if (status && status->code == kKept && number("value") && number("se") && number("samples")) {
    return MeasuredAgain{json["value"], json["se"], json["samples"]};
  }
  static const nlohmann::json::json_pointer kMessage("/error/message");
  if (json.contains(kMessage) && json[kMessage].is_string()) {
    return fail(ErrorCode::kUnavailable, "{}", json[kMessage].get<std::string>());
  }
  // The worker ended without a result, for example because it was killed.
  return fail(ErrorCode::kUnavailable, "{}",
              status ? fmt::format("surety-worker measure: {}", status->text())
                     : "surety-worker measure takes too long");
}

}  // namespace

Check check_metric(const fs::path& folder, const ReadRun& run) {
  const auto measured = model::is_linear(run.job.model.zoo)
                            ? measure_again(folder, run, learn::glm_only())
                            : measure_network(folder);
  if (!measured) return metric_not_measured(measured.error().message);
  const certificate::Certified& certified = *run.state.record.certified;
  return {kMetricCheck, agree(*measured, certified, run.job.promise.metric),
          fmt::format("found {:.6g} on {}, certified {:.6g} on {}", measured->value,
                      counted(measured->samples, "sample"), certified.metric, certified.samples)};
}

Check metric_not_measured(std::string_view reason) {
  return {kMetricCheck, std::nullopt,
          "not measured again: " + plain_text(reason, kMessageBytesMax)};
}

void add_measure(CLI::App& app, Action& chosen, learn::TaskFactory factory) {
  const auto folder = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("measure", "Measure the certified metric of a run again");
  command.add_option("run", *folder, "The run's folder")->required()->type_name("RUN");
  command.callback([folder, factory = std::move(factory), &chosen] {
    chosen = [folder, factory] {
      const auto measured = [&]() -> Result<MeasuredAgain> {
        SURETY_TRY(const ReadRun run, read_run(*folder));
        if (!run.state.record.certified) {
          return fail(ErrorCode::kInvalidInput, "{}: nothing was certified", *folder);
        }
        return measure_again(*folder, run, factory);
      }();
      if (!measured) return report_error(measured.error(), true);
      std::fputs(to_text(*measured).c_str(), stdout);
      return static_cast<int>(kKept);
    };
  });
}

}  // namespace surety::cli
