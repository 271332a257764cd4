// What is wrong with a command line, in one sentence, and what to write instead.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace surety::cli {

// `words`: what was typed behind the program's name. `error`: what parsing them by `app` threw.
[[nodiscard]] std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                                      const CLI::ParseError& error);

}  // namespace surety::cli
