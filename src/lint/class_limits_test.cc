#include "lint/class_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace class_limits_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "name: methods, fields" of each class.
std::vector<std::string> sizes_of(std::string_view text) {
  std::vector<std::string> sizes;
  for (const ClassSize& size : measure_classes(make_file("src/a/x.h", text))) {
    sizes.push_back(size.name + ": " + std::to_string(size.methods) + ", " +
                    std::to_string(size.fields));
  }
  return sizes;
}

TEST(MeasureClasses, CountsFunctionsWithAndWithoutBodies) {
  EXPECT_THAT(sizes_of("namespace surety::a {\n"
                       "class X {\n"
                       " public:\n"
                       "  void f(int a, int b);\n"
                       "  [[nodiscard]] std::map<int, int> g() const { return {}; }\n"
                       "  static bool h();\n"
                       "  template <class T>\n"
                       "  void i(T t) {}\n"
                       "  virtual void j() = 0;\n"
                       "  void j() const override;\n"
                       "};\n"
                       "}\n"),
              ElementsAre("a::X: 6, 0"));
}

TEST(MeasureClasses, ConstructorsOperatorsAndDeletedFunctionsDoNotCount) {
  EXPECT_THAT(sizes_of("class X : public Y {\n"
                       "  explicit X(int a) : Y(a), a_{a} {}\n"
                       "  X() = default;\n"
                       "  ~X() override;\n"
                       "  X(const X&) = delete;\n"
                       "  X& operator=(const X&) = delete;\n"
                       "  bool operator<(const X&) const;\n"
                       "  int operator()(int a) const { return a; }\n"
                       "  explicit operator bool() const;\n"
                       "  void forbidden(int a) = delete;\n"
                       "  friend void swap(X& a, X& b);\n"
                       "  using A = int;\n"
                       "  enum class E { kA, kB };\n"
                       "  int a_;\n"
                       "};\n"),
              ElementsAre("X: 0, 1"));
}

TEST(MeasureClasses, CountsTheFieldsOfEachObject) {
  EXPECT_THAT(sizes_of("struct X {\n"
                       "  int a;\n"
                       "  std::function<void(int)> b = f(1);\n"
                       "  std::vector<int> c{1, 2};\n"
                       "  const Y& d_;\n"
                       "  alignas(64) int e[3] = {1, 2, 3};\n"
                       "  std::function<int()> g = [] { return 1; };\n"
                       "  static constexpr int kH = 1;\n"
                       "};\n"),
              ElementsAre("X: 0, 6"));
}

TEST(MeasureClasses, MembersOfAClassWithinAClassCountThereOnly) {
  EXPECT_THAT(sizes_of("class X {\n"
                       "  struct In {\n"
                       "    int a;\n"
                       "    int f() const;\n"
                       "  };\n"
                       "  class Out;\n"
                       "  In b_;\n"
                       "};\n"
                       "class X::Out {\n"
                       "  void f();\n"
                       "};\n"),
              ElementsAre("X: 0, 1", "X::In: 1, 1", "X::Out: 1, 0"));
}

std::vector<std::string> classes_of(const char* path, const std::string& text,
                                    const char* list = "") {
  return texts(check_classes({{make_file(path, text), make_file(kClassList, list)}},
                             {.methods = 2, .fields = 1}));
}

constexpr const char* kThree = "struct X {\n  void f();\n  void g();\n  void h();\n};\n";
constexpr const char* kTwoFields = "struct X {\n  void f();\n  int a;\n  int b;\n};\n";

TEST(Classes, AtTheLimitIsFineAndOneMoreIsNot) {
  EXPECT_THAT(classes_of("src/a/x.h", "struct X {\n  void f();\n  void g();\n  int a;\n};\n"),
              IsEmpty());
  EXPECT_THAT(classes_of("src/a/x.h", kThree),
              ElementsAre("src/a/x.h:1: classes: X has 3 methods, at most 2; split the class"));
  EXPECT_THAT(classes_of("bench/a/x.cc", kTwoFields),
              ElementsAre(HasSubstr("X has 2 fields, at most 1")));
}

TEST(Classes, RecordsHaveAnyNumberOfFieldsAndTestsAnyClasses) {
  EXPECT_THAT(classes_of("src/a/x.h", "struct X {\n  int a;\n  int b;\n};\n"), IsEmpty());
  EXPECT_THAT(classes_of("src/a/x_test.cc", kThree), IsEmpty());
  EXPECT_THAT(classes_of("src/a/x_testing.h", kTwoFields), IsEmpty());
}

TEST(Classes, ListedOneMayHaveWhatTheListSays) {
  EXPECT_THAT(classes_of("src/a/x.h", kThree, "# Why.\nX  3 methods  # f\n"), IsEmpty());
  EXPECT_THAT(classes_of("src/a/x.h", kTwoFields, "X  2 fields  # a\n"), IsEmpty());
  EXPECT_THAT(classes_of("src/a/x.h", kTwoFields, "Y  2 fields  # a\n"),
              ElementsAre(HasSubstr("X has 2 fields, at most 1"), HasSubstr("Y has 0 fields")));
}

TEST(Classes, ListedOneMayNotGrow) {
  const std::string four = "struct X {\n  void f();\n  void g();\n  void h();\n  void i();\n};\n";
  EXPECT_THAT(classes_of("src/a/x.h", four, "X  3 methods  # f\n"),
              ElementsAre("src/a/x.h:1: classes: X has 4 methods, at most 3; split the class"));
}

TEST(Classes, ListedOneThatIsSmallerMakesTheListShorter) {
  EXPECT_THAT(classes_of("src/a/x.h", kThree, "\nX  4 methods  # f\n"),
              ElementsAre("src/lint/class_limits.txt:2: classes: X has 3 methods now; write 3 "
                          "methods"));
  EXPECT_THAT(classes_of("src/a/x.h", kTwoFields, "X  2 methods 2 fields  # f\n"),
              ElementsAre(HasSubstr("X has 1 methods now; remove \"2 methods\"")));
}

TEST(Classes, EntriesHaveNumbersAndAReason) {
  for (const char* entry : {"X  3 methods\n", "X  # f\n", "X  3  # f\n", "X  3 functions  # f\n",
                            "X  many methods  # f\n"}) {
    EXPECT_THAT(classes_of("src/a/x.h", "", entry), Contains(HasSubstr("cannot be read"))) << entry;
  }
}

}  // namespace class_limits_test
}  // namespace surety::lint
