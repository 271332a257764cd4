// Reduces C++ text to the code that the rules check, and finds its functions.
//
// This is not a parser. It relies on the layout of clang-format, which the house style requires:
// there is a space before the brace of a body, and none before that of a braced initialiser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surety::lint {

// Whether the character can be part of a name or a number.
[[nodiscard]] bool is_word_char(char c);

// The words between spaces and tabs, in order.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

// Returns the text with comments, preprocessor directives and the insides of string and character
// literals replaced by spaces. Every other character keeps its line and column.
[[nodiscard]] std::string code_of(std::string_view text);

// The lines of a function, from the start of its declaration (after its comment) to the closing
// brace. Lines count from 1.
struct FunctionExtent {
  std::size_t line_first = 0;
  std::size_t line_last = 0;

  [[nodiscard]] std::size_t lines() const { return line_last - line_first + 1; }
};

// Finds function bodies at namespace or class scope, tests included. Lambdas and local classes
// count as part of the function around them. `code` is the result of code_of(), split into lines.
[[nodiscard]] std::vector<FunctionExtent> find_functions(const std::vector<std::string>& code);

}  // namespace surety::lint
