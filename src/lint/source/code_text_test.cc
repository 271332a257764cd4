#include "lint/source/code_text.h"

#include <gtest/gtest.h>

#include "lint/source/source_tree.h"

namespace surety::lint {
namespace code_text_test {

std::vector<std::size_t> function_lengths(std::string_view text) {
  std::vector<std::size_t> lengths;
  for (const FunctionExtent& function : find_functions(make_file("src/a/x.cc", text).code)) {
    lengths.push_back(function.lines());
  }
  return lengths;
}

using Lengths = std::vector<std::size_t>;

TEST(CodeOf, BlanksCommentsAndWhatLiteralsSay) {
  EXPECT_EQ(code_of("a; // rand()\nb;"), "a;          \nb;");
  EXPECT_EQ(code_of("a /* x\ny */ b"), "a     \n     b");
  EXPECT_EQ(code_of("f(\"{\\\"}\");"), "f(\"    \");");
  EXPECT_EQ(code_of("c = '{';"), "c = ' ';");
}

TEST(CodeOf, BlanksDirectivesWithTheirContinuedLines) {
  EXPECT_EQ(code_of("#define X { \\\n  {\nint a;"), "             \n   \nint a;");
}

TEST(CodeOf, RawStringsEndAtTheirOwnMark) {
  const std::string code = code_of("a = R\"x({)\" })x\"; b");
  EXPECT_EQ(code.find('{'), std::string::npos);
  EXPECT_EQ(code.find('}'), std::string::npos);
  EXPECT_TRUE(code.ends_with("; b"));
}

TEST(CodeOf, DigitSeparatorsAreNoLiterals) {
  EXPECT_EQ(code_of("a = 1'000'000; // x"), "a = 1'000'000;     ");
}

TEST(FindFunctions, CountsFromTheDeclarationToTheClosingBrace) {
  EXPECT_EQ(function_lengths("// Why.\nint f(int a,\n      int b) {\n  return a;\n}\n"),
            Lengths{4});
  EXPECT_EQ(function_lengths("int f() { return 1; }\nint g();\n"), Lengths{1});
}

TEST(FindFunctions, FindsThemInNamespacesClassesAndTemplates) {
  EXPECT_EQ(function_lengths("namespace a {\n"
                             "class X final : public Y {\n"
                             " public:\n"
                             "  int f() const override {\n"
                             "    return 1;\n"
                             "  }\n"
                             "};\n"
                             "template <class T>\n"
                             "auto g(T t) -> int {\n"
                             "  return t;\n"
                             "}\n"
                             "TEST(A, B) {\n"
                             "}\n"
                             "}\n"),
            (Lengths{3, 4, 2}));
}

TEST(FindFunctions, ConstructorWithBracedInitialisersIsOneFunction) {
  EXPECT_EQ(function_lengths("X::X(int a)\n    : a_{a},\n      b_{{1, 2}} {\n  run();\n}\n"),
            Lengths{5});
}

TEST(FindFunctions, LambdasAndLocalClassesBelongToTheFunctionAround) {
  EXPECT_EQ(function_lengths("int f() {\n"
                             "  struct L {\n"
                             "    int g() {\n"
                             "      return 1;\n"
                             "    }\n"
                             "  };\n"
                             "  const auto h = [](int x) {\n"
                             "    return x;\n"
                             "  };\n"
                             "}\n"),
            Lengths{10});
}

TEST(FindFunctions, TablesAndEnumsAreNoFunctions) {
  EXPECT_EQ(function_lengths("constexpr P kTable[] = {\n  {f(1), 2},\n  {3, 4}};\n"
                             "enum class E : int {\n  kA,\n};\n"
                             "int kSquares[count_of(3)] = {\n  1, 4, 9,\n};\n"
                             "std::map<int, int> m{{1, 2}};\n"
                             "int f() {\n}\n"),
            Lengths{2});
}

}  // namespace code_text_test
}  // namespace surety::lint
