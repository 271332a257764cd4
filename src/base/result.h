// Result<T>: a value, or an Error that says what happened to a person.
//
// There is one code per *reaction* of a caller, not per cause; the discoverer writes the message,
// whoever handles it logs it once. An outcome that is no failure is a plain value with a reason.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace surety {

enum class ErrorCode {
  kInvalidInput,  // The user must change something: a file, a key, an argument.
  kUnavailable,   // Try again, elsewhere or later: a peer is gone, a port is in use, the disk is
                  // full.
  kTimeout,       // Nothing came in time; the other side may or may not have acted.
  kCorrupt,       // Bytes are not what was written; never use them.
  kInfeasible,    // No plan keeps the promise.
  kDiverged,      // Learning came to nothing with good input: another learning rate may do better.
  kDefect,        // The program contradicts itself: only its authors can mend that.
};

struct Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

// fail(ErrorCode::kCorrupt, "{}: record {}: found {}, expected {}", ...) -> an unexpected Error.
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

// The same error with where it happened put before its message: "checkpoint 7: disk full".
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

// SURETY_TRY(expression): returns the error to the caller, or goes on.
// SURETY_TRY(auto x, expression): the same, and binds the value. The one control-flow macro.
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
