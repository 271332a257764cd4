#include "runtime/measuring_process.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/worker_environment.h"

namespace surety::runtime {
namespace {

constexpr const char* kValue = "value";
constexpr const char* kError = "se";
constexpr const char* kSamples = "samples";

std::optional<certificate::MetricValues> parse(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto number = [&](const char* key) {
    return json.contains(key) && json[key].is_number() && std::isfinite(json[key].get<double>());
  };
  if (!number(kValue) || !number(kError) || !number(kSamples)) return std::nullopt;
  if (!json[kSamples].is_number_unsigned()) return std::nullopt;
  return certificate::MetricValues{
      .metric = json[kValue], .metric_se = json[kError], .samples = json[kSamples]};
}

}  // namespace

Result<MeasuringProcess> MeasuringProcess::start(const std::filesystem::path& program,
                                                 const std::filesystem::path& folder,
                                                 const std::filesystem::path& output) {
  std::error_code error;  // If the file cannot be removed, it cannot be opened, either.
  std::filesystem::remove(output, error);
  const auto threads = static_cast<std::uint32_t>(posix::usable_cores());
  SURETY_TRY(posix::Process process,
             posix::Process::start(
                 {.argv = {program.string(), "measure", std::filesystem::absolute(folder).string()},
                  .environment = posix::worker_environment(threads),
                  .output = output,
                  .dies_with_parent = true,
                  .own_process_group = true}));
  return MeasuringProcess(std::move(process), output);
}

std::optional<Result<certificate::MetricValues>> MeasuringProcess::poll() {
  return wait(Duration::zero());
}

std::optional<Result<certificate::MetricValues>> MeasuringProcess::wait(Duration patience) {
  const auto status = process_.wait(patience);
  if (!status) return std::nullopt;
  return result(*status);
}

Result<certificate::MetricValues> MeasuringProcess::result(const posix::ExitStatus& status) const {
  SURETY_TRY(const std::string text, posix::read_file(output_));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (const auto values = parse(json); values && status.ok()) return *values;
  static const nlohmann::json::json_pointer kMessage("/error/message");
  if (json.is_object() && json.contains(kMessage) && json[kMessage].is_string()) {
    return fail(ErrorCode::kUnavailable, "{}", json[kMessage].get<std::string>());
  }
  // It ended without a result, for example because it was killed.
  return fail(ErrorCode::kUnavailable, "the process that measures again: {}", status.text());
}

std::string to_json(const certificate::MetricValues& values) {
  return nlohmann::json{
      {kValue, values.metric}, {kError, values.metric_se}, {kSamples, values.samples}}
      .dump();
}

}  // namespace surety::runtime
