#include "cli/shell_words.h"

#include <algorithm>

namespace surety::cli {
namespace {

// Whether the character never has a meaning of its own in a shell.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-/:=+,%@").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    // A single quote cannot stand between single quotes.
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string set_options(const std::vector<std::string>& sets) {
  std::string text;
  for (const std::string& set : sets) text += " --set " + shell_word(set);
  return text;
}

}  // namespace surety::cli
