// Fuzz test of the lint's C++ readers: no text crashes them, and code_of() keeps every line and
// column.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "lint/source/code_text.h"
#include "lint/source/source_tree.h"
#include "lint/source/statements.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::lint;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string code = code_of(text);
  SURETY_CHECK(code.size() == text.size());
  for (std::size_t i = 0; i < size; ++i) SURETY_CHECK((code[i] == '\n') == (text[i] == '\n'));
  const SourceFile file = make_file("src/a/x.cc", text);
  SURETY_CHECK(file.code.size() == file.lines.size());
  for (const FunctionExtent& function : find_functions(file.code)) {
    SURETY_CHECK(function.line_first >= 1 && function.line_first <= function.line_last);
    SURETY_CHECK(function.line_last <= file.lines.size());
  }
  const Statements statements = find_statements(file);
  for (const Statement& statement : statements.all) {
    SURETY_CHECK(!statement.tokens.empty() && statement.scope < statements.scopes.size());
  }
  return 0;
}
