#include "base/exception_error.h"

#include <new>

namespace surety {

Error error_of(const std::exception& exception, std::string_view doing) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) == nullptr) {
    return {ErrorCode::kUnavailable, fmt::format("{}: {}", doing, exception.what())};
  }
  return {ErrorCode::kUnavailable,
          fmt::format("{}: found not enough memory on this machine; end other programs, use fewer "
                      "workers on it, or set cluster.spill",
                      doing)};
}

}  // namespace surety
