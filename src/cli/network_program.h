// Continues in surety-worker, the program with libtorch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::cli {

// Replaces this program by surety-worker, with these words behind its name, and with the
// environment that `threads` threads need. libtorch takes most of a second to load, and reads its
// environment only while it loads. So the part that needs libtorch is a program of its own. Returns
// only if the program cannot be started (InvalidInput); `why` begins the message: "this job trains
// a network".
[[nodiscard]] tl::unexpected<Error> become_network_program(std::uint32_t threads,
                                                           std::vector<std::string> words,
                                                           std::string_view why);

}  // namespace surety::cli
