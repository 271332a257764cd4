#include "lint/source/statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::lint {
namespace statements_test {

using testing::ElementsAre;
using testing::IsEmpty;

// Each statement as "scope: tokens", with {} at the end if it has a body.
std::vector<std::string> statements_of(std::string_view text) {
  const SourceFile file = make_file("src/a/x.cc", text);
  const Statements found = find_statements(file);
  std::vector<std::string> all;
  for (const Statement& statement : found.all) {
    std::string words = found.scopes[statement.scope].name + ":";
    for (const Token& token : statement.tokens) words += " " + std::string(token.text);
    all.push_back(words + (statement.has_body ? " body" : ""));
  }
  return all;
}

TEST(FindStatements, WhatIsInBracketsIsLeftOut) {
  EXPECT_THAT(statements_of("std::map<int, int> f(int a, int b = g(1, 2))[3];\n"),
              ElementsAre(": std :: map < > f ( ) [ ]"));
  EXPECT_THAT(statements_of("int kA[] = {1, 2};\n"), ElementsAre(": int kA [ ] = { }"));
}

TEST(FindStatements, ComparisonsAreNoBrackets) {
  EXPECT_THAT(statements_of("a = b < c, d > e;\n"), ElementsAre(": a = b < c , d > e"));
  EXPECT_THAT(statements_of("bool operator<(X a);\nint b;\n"),
              ElementsAre(": bool operator < ( )", ": int b"));
  EXPECT_THAT(statements_of("if (a<b) c;\nint d, e;\n"), ElementsAre(": if ( ) c", ": int d , e"));
}

TEST(FindStatements, EachIsInItsNamespaceOrClass) {
  EXPECT_THAT(
      statements_of("namespace a::b {\n"
                    "namespace {\n"
                    "class alignas(64) X final : public Y<int>, Z {\n"
                    " public:\n"
                    "  struct In {\n"
                    "    int a;\n"
                    "  };\n"
                    "  int b;\n"
                    "};\n"
                    "}\n"
                    "struct X::Impl {\n"
                    "  int c;\n"
                    "};\n"
                    "int d;\n"
                    "}\n"),
      ElementsAre("a::b::X::In: int a", "a::b::X: int b", "a::b::X::Impl: int c", "a::b: int d"));
}

TEST(FindStatements, FunctionsEndWithTheirBodies) {
  EXPECT_THAT(
      statements_of("struct X {\n"
                    "  X() : a_{1}, b_(2) {}\n"
                    "  X(int a) : a_(a), b_{1} {}\n"
                    "  int f() const { return 1; }\n"
                    "};\n"),
      ElementsAre("X: X ( ) : a_ { } , b_ ( ) { } body", "X: X ( ) : a_ ( ) , b_ { } { } body",
                  "X: return 1", "X: int f ( ) const { } body"));
}

TEST(FindStatements, StatementsOfALambdaAreNotInTheOneAroundIt) {
  EXPECT_THAT(statements_of("const auto f = [&](int a, int b) { return a; };\n"),
              ElementsAre(": return a", ": const auto f = [ ] ( ) { }"));
  EXPECT_THAT(statements_of("run(1, [] {\n  int c;\n});\n"), ElementsAre(": int c", ": run ( )"));
}

TEST(FindStatements, EnumeratorsAndElementsAreNone) {
  EXPECT_THAT(statements_of("enum class E : int { kA, kB };\n"),
              ElementsAre(": enum class E : int { }"));
  EXPECT_THAT(statements_of("f({.a = 1, .b = X{2, 3}}, {4, 5});\n"), ElementsAre(": f ( )"));
}

TEST(FindStatements, LabelsAndAttributesAreLeftOut) {
  EXPECT_THAT(statements_of("switch (a) {\n  case X::kA:\n    b();\n  default: {\n  }\n}\n"),
              ElementsAre(": b ( )", ": { } body", ": switch ( ) { } body"));
  EXPECT_THAT(statements_of("[[nodiscard]] int f();\n"), ElementsAre(": int f ( )"));
}

TEST(FindStatements, UnbalancedBracketsAreEndured) {
  EXPECT_THAT(statements_of("}}} int a;\n"), ElementsAre(": int a"));
  EXPECT_THAT(statements_of("f(((\n"), IsEmpty());
}

}  // namespace statements_test
}  // namespace surety::lint
