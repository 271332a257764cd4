// Explains in one sentence what is wrong with a command line, and what to write instead.
#pragma once

#include <functional>
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

// A check for options that are whole numbers, because CLI11 reads -1 as the largest number. Returns
// the fault of the text; empty if there is none.
[[nodiscard]] std::string not_negative(const std::string& text);

// The fault of a command line with an empty word or an empty --option=; none if there is no such
// word. A script whose variable is unset passes an empty word, and must not get the default
// instead.
[[nodiscard]] std::optional<std::string> empty_word(const std::vector<std::string>& words);

// Returns a function that stores the value of an option. `value` must outlive it.
[[nodiscard]] std::function<void(const std::string&)> store_in(std::optional<std::string>& value);

}  // namespace surety::cli
