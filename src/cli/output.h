// How commands speak: errors, and where our own programs lie.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "orchestrator/certificate.h"

namespace surety::cli {

// Prints "error: ..." on stderr, or {"error": {...}} on stdout with --json; returns the exit code
// that goes with the error.
int report_error(const Error& error, bool json);

// Prints on stderr what a person may want to see. Who reads it may have gone: that is no failure.
void tell(const std::string& text);

// The exit code of a run that ended with this verdict.
[[nodiscard]] int exit_code(orchestrator::Verdict verdict);

// A program that lies beside this one: surety, surety-worker.
[[nodiscard]] std::filesystem::path sibling_program(const std::string& name);

}  // namespace surety::cli
