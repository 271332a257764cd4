// C++ text reduced to what rules look at, and where its functions are.
//
// Not a parser: it relies on clang-format's layout (a body's brace has a space before it, a braced
// initialiser's has none), which the house style asks for anyway.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surety::lint {

// A character of a name or a number.
[[nodiscard]] bool is_word_char(char c);

// What stands between spaces and tabs, in order.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

// The text with the insides of comments, string and character literals and the whole of
// preprocessor directives replaced by spaces; every character that stays, stays on its line and
// column.
[[nodiscard]] std::string code_of(std::string_view text);

// From the line where the declaration starts (after its comment) to the closing brace; from 1.
struct FunctionExtent {
  std::size_t line_first = 0;
  std::size_t line_last = 0;

  [[nodiscard]] std::size_t lines() const { return line_last - line_first + 1; }
};

// Function bodies at namespace or class scope, tests included; lambdas and local classes count to
// the function around them. `code` is what code_of() gave, by lines.
[[nodiscard]] std::vector<FunctionExtent> find_functions(const std::vector<std::string>& code);

}  // namespace surety::lint
