// The statements of a C++ file, each reduced to its outermost tokens, and the scopes that they are
// in: "void f(int a) const;" is "void f ( ) const" in its class.
//
// This is not a parser. It relies on clang-format's layout, as code_text.h does: the brace of a
// body has a space before it, and the < of a template argument list has none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

struct Token {
  std::string_view text;   // A word, a number, "::", "->", a literal as "", or one other character.
  std::size_t line = 0;    // Counts from 1.
  bool is_spaced = false;  // Whether a space or a line end is before it.

  [[nodiscard]] bool is_word() const;
  // The character of a token of one character; 0 for longer tokens.
  [[nodiscard]] char symbol() const { return text.size() == 1 ? text[0] : '\0'; }
};

struct StatementScope {
  enum class Kind { kNamespace, kClass, kFunction };  // A block counts as a function.
  Kind kind = Kind::kNamespace;
  std::string name;      // Qualified; a function has the name of the scope around it.
  std::size_t line = 0;  // Line of its opening brace.
};

struct Statement {
  // The tokens outside of brackets, and the brackets themselves. Labels ("public:"), attributes at
  // the front and alignas() are omitted.
  std::vector<Token> tokens;
  std::size_t scope = 0;  // Index in Statements::scopes.
  bool has_body = false;  // It ends with a body instead of a semicolon.
};

struct Statements {
  std::vector<StatementScope> scopes;  // The first one is the file.
  std::vector<Statement> all;
};

// Finds the statements of the file at every depth: those of a lambda are in the scope of its body,
// and not in the statement around it. Enumerators and elements of initialisers are not statements.
// The heads of classes and namespaces, and empty statements, are omitted. The tokens point into
// `file`, which must outlive them. O(text).
[[nodiscard]] Statements find_statements(const SourceFile& file);

}  // namespace surety::lint
