// Command lines that a user can copy into a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surety::cli {

// The word as a POSIX shell reads it: in single quotes if a character could mean something else.
[[nodiscard]] std::string shell_word(std::string_view word);

// " --set KEY=VALUE" for each of these settings of a job, or nothing if there is none.
[[nodiscard]] std::string set_options(const std::vector<std::string>& sets);

}  // namespace surety::cli
