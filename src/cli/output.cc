#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/exit_codes.h"

namespace surety::cli {

int report_error(const Error& error, bool json) {
  if (json) {
    const nlohmann::json out{
        {"error", {{"code", name_of(error.code)}, {"message", error.message}}}};
    std::fputs(json_text(out).c_str(), stdout);
  } else {
    print_message(fmt::format("error: {}\n", plain_lines(error.message)));
  }
  switch (error.code) {
    case ErrorCode::kInvalidInput:
      return kUsage;
    case ErrorCode::kInfeasible:
      return kInfeasible;
    default:
      return kFailed;
  }
}

int carry_out(const std::function<int()>& action) {
  try {
    return action();
  } catch (const std::filesystem::filesystem_error& error) {
    return report_error({ErrorCode::kInvalidInput,
                         fmt::format("{}: {}", error.path1().string(), error.code().message())},
                        false);
  } catch (const std::exception& error) {
    return report_error({ErrorCode::kUnavailable, error.what()}, false);
  }
}

Result<void> check_replaceable(std::string_view option, const std::string& path,
                               std::string_view without) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  return fail(ErrorCode::kInvalidInput,
              "{} {}: found no regular file, expected the name of one that is new or may be "
              "replaced; without {}, {} to standard output",
              option, path, option, without);
}

// Not fmt::print(), because that throws if the pipe is broken.
void print_message(const std::string& text) { std::fputs(text.c_str(), stderr); }

int exit_code(certificate::Verdict verdict) {
  switch (verdict) {
    case certificate::Verdict::kKept:
      return kKept;
    case certificate::Verdict::kInfeasible:
      return kInfeasible;
    case certificate::Verdict::kMissed:
      return kMissed;
    case certificate::Verdict::kStopped:
      return kInterrupted;
  }
  return kFailed;
}

std::filesystem::path sibling_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(name) : self.parent_path() / name;
}

}  // namespace surety::cli
