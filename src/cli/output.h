// Functions that all commands use: errors, messages, exit codes, and the paths of Surety's own
// programs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "certificate/certificate.h"

namespace surety::cli {

// Prints "error: ..." on stderr, or {"error": {...}} on stdout with --json; returns the exit code
// that goes with the error.
int report_error(const Error& error, bool json);

// JSON for standard output, which ends with a line break. Bytes that are not UTF-8, such as in the
// name of a folder, are replaced. `Json`: nlohmann::json or nlohmann::ordered_json.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Carries out what a command line asks for, and returns the exit code. An exception, such as one
// about memory or about a folder that may not be read, becomes an error.
int carry_out(const std::function<int()>& action);

// Checks that a new file may replace the present file of this name. Without this check, the final
// rename would also replace a device such as /dev/null, or a pipe. InvalidInput: the message also
// states what happens without the option.
[[nodiscard]] Result<void> check_replaceable(std::string_view option, const std::string& path,
                                             std::string_view without);

// Prints text for a person on stderr. If the reader has closed the stream, this is not a failure.
void print_message(const std::string& text);

// The exit code of a run that ended with this verdict.
[[nodiscard]] int exit_code(certificate::Verdict verdict);

// The path of a program in the same folder as this one: surety or surety-worker.
[[nodiscard]] std::filesystem::path sibling_program(const std::string& name);

}  // namespace surety::cli
