// Starting threads where the system may have none left.
#pragma once

#include <string_view>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace surety::posix {

// Calls `start`, which starts one thread or more. Unavailable if the system has no thread left at
// present. Threads that were started before this failure continue, and the caller ends them.
// `purpose` completes the message, such as "to call the coordinator".
template <typename Start>
[[nodiscard]] Result<void> start_threads(std::string_view purpose, Start&& start) {
  try {
    std::forward<Start>(start)();
  } catch (const std::system_error& error) {
    return fail(ErrorCode::kUnavailable,
                "the system has no thread {}: {} (ulimit -u shows the limit)", purpose,
                error.what());
  }
  return {};
}

}  // namespace surety::posix
