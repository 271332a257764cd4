// Turns an exception of a library into an error.
#pragma once

#include <exception>
#include <string_view>

#include "base/result.h"

namespace surety {

// `doing` says what the exception interrupted, as in "learning". If memory is exhausted, the error
// says what to do. The code is always Unavailable, because another machine may succeed.
[[nodiscard]] Error error_of(const std::exception& exception, std::string_view doing);

}  // namespace surety
