#include "lint/declarators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "lint/source/statements.h"

namespace surety::lint {
namespace {

constexpr const char* kDeclarators = "declarators";

// Statements that begin with these words are not declarations.
constexpr std::array<std::string_view, 12> kNoType{"return", "throw", "delete", "new",
                                                   "goto",   "if",    "for",    "while",
                                                   "else",   "do",    "switch", "co_return"};

// Whether the first `count` tokens are a type and the name of the declared variable or function. An
// expression with the comma operator ("a = 1, b = 2") has no type.
bool are_type_and_name(const std::vector<Token>& tokens, std::size_t count) {
  constexpr std::string_view kOfTypes[] = {"::", "<", ">", "&", "*"};
  if (count < 2 || std::ranges::find(kNoType, tokens[0].text) != kNoType.end()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_of_type = std::ranges::find(kOfTypes, tokens[i].text) != std::end(kOfTypes);
    if (!tokens[i].is_word() && !is_of_type) return false;
  }
  const bool starts = tokens[0].is_word() || tokens[0].text == "::";
  return starts && tokens[count - 1].is_word() && tokens[count - 2].text != "::";
}

bool declares_several(const Statement& statement) {
  const std::vector<Token>& tokens = statement.tokens;
  const auto has = [&](std::string_view text) {
    return std::ranges::any_of(tokens, [&](const Token& token) { return token.text == text; });
  };
  if (statement.has_body || !has(",")) return false;
  constexpr std::string_view kAfterName[] = {"(", "[", "{", "=", ":", ","};
  const auto end = std::ranges::find_if(tokens, [&](const Token& token) {
    return std::ranges::find(kAfterName, token.text) != std::end(kAfterName);
  });
  return are_type_and_name(tokens, static_cast<std::size_t>(end - tokens.begin()));
}

}  // namespace

std::vector<Finding> check_declarators(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    for (const Statement& statement : find_statements(file).all) {
      if (!declares_several(statement)) continue;
      findings.push_back({file.path, statement.tokens[0].line, kDeclarators,
                          "several declarators in a declaration; give each a declaration"});
    }
  }
  return findings;
}

}  // namespace surety::lint
