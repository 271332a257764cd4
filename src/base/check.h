// SURETY_CHECK(condition): in every build, a bug stops the program and its place is printed.
//
// Checks are for what callers guarantee (REQUIRES) and what functions guarantee (ENSURES). A
// failure that can happen without a bug is a Result (result.h), not a check.
#pragma once

namespace surety {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace surety

// An expression, so that gcc also knows without optimisation that nothing follows a check of false.
#define SURETY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::surety::check_failed(#condition, __FILE__, __LINE__))
