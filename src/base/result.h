// Result<T>: a value, or an Error that tells a person what happened.
//
// There is one code for each *reaction* of a caller, not for each cause. The code that discovers an
// error writes the message; the code that handles it logs it once. An outcome that is no failure is
// a plain value with a reason.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace surety {

enum class ErrorCode {
  kInvalidInput,  // The user must change something: a file, a key, an argument.
  // Try again, elsewhere or later: a peer has gone, a port is in use, the disk is full.
  kUnavailable,
  kTimeout,     // There was no answer in time; the other side may or may not have acted.
  kCorrupt,     // The bytes are not those that were written; never use them.
  kInfeasible,  // No plan can keep the promise.
  kDiverged,    // Learning diverged with good input: another learning rate may work.
  kDefect,      // The program contradicts itself: only its authors can correct that.
};

struct Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

// Makes an unexpected Error: fail(ErrorCode::kCorrupt, "{}: record {}: found {}, expected {}",
// ...).
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

// The same error with its place before the message, such as "checkpoint 7: disk full".
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail_in(const Error& error, fmt::format_string<Args...> format,
                                            Args&&... args) {
  return fail(error.code, "{}: {}", fmt::format(format, std::forward<Args>(args)...),
              error.message);
}

[[nodiscard]] const char* name_of(ErrorCode code);

}  // namespace surety

#define SURETY_CONCAT_(a, b) a##b
#define SURETY_CONCAT(a, b) SURETY_CONCAT_(a, b)

// SURETY_TRY(expression): returns the error to the caller, or continues. SURETY_TRY(auto x,
// expression): does the same, and binds the value. It is the only control-flow macro.
#define SURETY_TRY_1_(expression)                                           \
  do {                                                                      \
    if (auto surety_result_ = (expression); !surety_result_) [[unlikely]] { \
      return tl::unexpected(std::move(surety_result_).error());             \
    }                                                                       \
  } while (false)
#define SURETY_TRY_2_(declaration, expression)                                         \
  auto SURETY_CONCAT(surety_result_, __LINE__) = (expression);                         \
  if (!SURETY_CONCAT(surety_result_, __LINE__)) [[unlikely]] {                         \
    return tl::unexpected(std::move(SURETY_CONCAT(surety_result_, __LINE__)).error()); \
  }                                                                                    \
  declaration = std::move(*SURETY_CONCAT(surety_result_, __LINE__))
#define SURETY_TRY_PICK_(a, b, chosen, ...) chosen
#define SURETY_TRY(...) SURETY_TRY_PICK_(__VA_ARGS__, SURETY_TRY_2_, SURETY_TRY_1_, )(__VA_ARGS__)
