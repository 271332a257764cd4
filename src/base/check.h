// SURETY_CHECK(condition): in every build, a bug stops the program and its place is printed.
//
// Checks are for what callers guarantee (REQUIRES) and what we guarantee (ENSURES). A failure that
// can happen without a bug is a Result (result.h), not a check.
#pragma once

namespace surety {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace surety

#define SURETY_CHECK(condition)                               \
  do {                                                        \
    if (!(condition)) [[unlikely]] {                          \
      ::surety::check_failed(#condition, __FILE__, __LINE__); \
    }                                                         \
  } while (false)
