// Explains in one sentence what is wrong with a command line, and what to write instead.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace surety::cli {

// `words` are the words behind the program's name. `error` is what `app` threw when it parsed them.
[[nodiscard]] std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                                      const CLI::ParseError& error);

// A check for options that are whole numbers from `min` to `max`, in decimal digits. CLI11 itself
// reads -1 and 2^64 as the largest number, and 010 as 8. The function returns the fault of a text;
// empty if there is none.
[[nodiscard]] std::function<std::string(const std::string&)> whole_number(
    std::uint64_t min = 0, std::uint64_t max = std::numeric_limits<std::uint64_t>::max());

// The fault of a command line with an empty word or an empty --option=; none if there is no such
// word. A script whose variable is unset passes an empty word, and must not get the default
// instead.
[[nodiscard]] std::optional<std::string> empty_word(const std::vector<std::string>& words);

// Returns a function that stores the value of an option. `value` must outlive it.
[[nodiscard]] std::function<void(const std::string&)> store_in(std::optional<std::string>& value);

}  // namespace surety::cli
