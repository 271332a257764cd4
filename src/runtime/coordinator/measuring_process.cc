#include "runtime/coordinator/measuring_process.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/worker_environment.h"
#include "base/text.h"

namespace surety::runtime {
namespace {

constexpr const char* kValue = "value";
constexpr const char* kError = "se";
constexpr const char* kSamples = "samples";
constexpr const char* kObjective = "objective";
constexpr const char* kMessage = "error";
constexpr const char* kLost = "checkpoint_is_lost";
constexpr std::uint64_t kOutputBytesMax = 1 << 20;

std::optional<certificate::MetricValues> parse(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  // JSON has null for what is not a number, such as the loss of a model that has diverged.
  const auto number = [&](const char* key) -> std::optional<double> {
    if (!json.contains(key)) return std::nullopt;
    if (json[key].is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!json[key].is_number()) return std::nullopt;
    return json[key].get<double>();
  };
  const auto value = number(kValue);
  const auto error = number(kError);
  // A sum of squares has no negative root, and no loss, gap or accuracy is negative.
  if (!value || !error || *value < 0 || *error < 0 || !json.contains(kSamples) ||
      !json[kSamples].is_number_unsigned() || json[kSamples] == 0) {
    return std::nullopt;
  }
  certificate::MetricValues values{
      .metric = *value, .metric_se = *error, .samples = json[kSamples]};
  if (json.contains(kObjective) && json[kObjective].is_number()) {
    values.objective = json[kObjective].get<double>();
  }
  return values;
}

// Libraries may have written other lines before.
std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  // `npos` + 1 is 0, so a text without a newline is returned whole.
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

Result<MeasuringProcess> MeasuringProcess::start(const std::filesystem::path& program,
                                                 const std::filesystem::path& folder,
                                                 const std::filesystem::path& output) {
  std::error_code error;
  std::filesystem::remove(output, error);
  if (error) return fail(ErrorCode::kUnavailable, "{}: {}", output.string(), error.message());
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
  const Result<std::string> text = posix::read_file(output_, kOutputBytesMax);
  if (!text) return fail(ErrorCode::kUnavailable, "{}", text.error().message);
  const auto json = nlohmann::json::parse(last_line(*text), nullptr, false);
  if (const auto values = parse(json); values && status.ok()) return *values;
  if (json.is_object() && json.contains(kMessage) && json[kMessage].is_string()) {
    const ErrorCode code = json.contains(kLost) ? ErrorCode::kCorrupt : ErrorCode::kUnavailable;
    return fail(code, "{}", json[kMessage].get<std::string>());
  }
  // It ended without a result, for example because it was killed.
  return fail(ErrorCode::kUnavailable, "the process that measures again: {}; see {}", status.text(),
              output_.string());
}

std::string to_json(const certificate::MetricValues& values) {
  nlohmann::json json{
      {kValue, values.metric}, {kError, values.metric_se}, {kSamples, values.samples}};
  if (values.objective) json[kObjective] = *values.objective;
  return json.dump();
}

std::string to_json(const Error& error) {
  nlohmann::json json{{kMessage, plain_text(error.message, kMessageBytesMax)}};
  if (error.code == ErrorCode::kCorrupt) json[kLost] = true;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace surety::runtime
