#include "lint/declarators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace declarators_test {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> declarators_of(const std::string& text) {
  return texts(check_declarators({{make_file("src/a/x.h", text)}}));
}

std::string in_function(const std::string& text) { return "void f() {\n" + text + "\n}\n"; }
std::string in_class(const std::string& text) { return "class X {\n public:\n" + text + "\n};\n"; }

TEST(Declarators, AreOneADeclaration) {
  EXPECT_THAT(declarators_of("int a = 0;\nint b = 0;\n"), IsEmpty());
  EXPECT_THAT(declarators_of("\ndouble a = 0, b = 0;\n"),
              ElementsAre("src/a/x.h:2: declarators: several declarators in a declaration; give "
                          "each a declaration"));
}

TEST(Declarators, AreFoundInNamespacesClassesFunctionsAndLambdas) {
  for (const char* text :
       {"int a, b;", "constexpr std::size_t kA = 1, kB = 2;", "const X &a = c, &b = d;",
        "std::vector<double> a(5), b(c.size(), 0.0);", "std::map<int, std::set<int>> a{}, b{};",
        "const auto a = f(1, 2),\n           b = g(3);", "static const X a{1, 2}, b{3, 4};",
        "const char* a[] = {d, e}, *b = f;", "::ns::T a, b;", "unsigned long long a, b;"}) {
    EXPECT_EQ(declarators_of(text).size(), 1u) << text;
    EXPECT_EQ(declarators_of(in_function(text)).size(), 1u) << text;
    EXPECT_EQ(declarators_of(in_class(text)).size(), 1u) << text;
    const std::string lambda = "run([&](int x) {\n" + std::string(text) + "\n});";
    EXPECT_EQ(declarators_of(in_function(lambda)).size(), 1u) << text;
  }
}

TEST(Declarators, FunctionsCountAsWell) {
  for (const char* text :
       {"void leave(WorkerId worker), lose(WorkerId worker);", "void advance(), enlist();",
        "[[nodiscard]] bool a() const, b(const X& x);", "int a, f();",
        "template <class T>\nvoid f(T t), g(T t);"}) {
    EXPECT_EQ(declarators_of(in_class(text)).size(), 1u) << text;
  }
}

TEST(Declarators, ArgumentsElementsAndBindingsAreNone) {
  for (const char* text :
       {"void f(int a, int b);", "const auto [a, b] = c;", "auto& [a, b] = c;",
        "std::map<int, int> a;", "std::function<void(int, int)> a = f;", "int a[] = {1, 2, 3};",
        "const X a{1, 2};", "const X a(1, 2);", "enum class E { kA, kB };",
        "enum E : int { kA, kB };", "const auto a = [b, c](int d, int e) { return d; };",
        "using A = B<C, D>;", "template <class A, class B>\nvoid f(A a, B b);",
        "struct Y : A, B {};", "explicit X(int a) : a_(a), c_{2} {}\nint d;",
        "int operator()(int a, int b) const;",
        "friend auto operator<=>(const X&, const X&) = default;", "static_assert(a, \"b, c\");"}) {
    EXPECT_THAT(declarators_of(text), IsEmpty()) << text;
    EXPECT_THAT(declarators_of(in_class(text)), IsEmpty()) << text;
  }
}

TEST(Declarators, LoopsAndExpressionsAreNone) {
  for (const char* text :
       {"for (int a = 0, b = 1; a < b; ++a, --b) c();", "for (int a = 0, b = 1; a < b;) {\n}",
        "if (const auto a = f(1, 2); a) b();", "++a, ++b;", "a = 1, b = 2;", "f(a, b), g(c);",
        "a.b = 1, c = 2;", "*a = 1, *b = 2;", "x::f(1), x::g(2);", "return f(1, 2), 3;",
        "if (a) b = 1, c = 2;", "else b = 1, c = 2;", "delete a, b;", "a = b < c, d > e;",
        "case X::kA: a = 1, b = 2;"}) {
    EXPECT_THAT(declarators_of(in_function(text)), IsEmpty()) << text;
  }
}

TEST(Declarators, CommentsLiteralsAndDirectivesAreNone) {
  EXPECT_THAT(declarators_of("// int a, b;\nconst char* c = \"int a, b;\";\n"), IsEmpty());
  EXPECT_THAT(declarators_of("#define X \\\n  int a, b;\nint c;\n"), IsEmpty());
}

TEST(Declarators, OtherFilesAreLeftAlone) {
  EXPECT_THAT(check_declarators({{make_file("scripts/x.py", "int a, b;\n")}}), IsEmpty());
}

}  // namespace declarators_test
}  // namespace surety::lint
