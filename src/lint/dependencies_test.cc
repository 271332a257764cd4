#include "lint/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace dependencies_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> dependencies_of(const char* cmake_lists, const char* path,
                                         const char* text) {
  return texts(
      check_dependencies({{make_file("CMakeLists.txt", cmake_lists), make_file(path, text)}}));
}

constexpr const char* kDeps = "surety_module(a)\nsurety_module(b LIBS x DEPS a)\n";
constexpr const char* kTestDeps = "surety_module(a)\nsurety_module(b TEST_DEPS a)\n";

TEST(Dependencies, OfAModuleAreIncluded) {
  EXPECT_THAT(dependencies_of(kDeps, "src/b/x.cc", "#include \"a/x.h\"\n"), IsEmpty());
  EXPECT_THAT(dependencies_of(kDeps, "src/b/x.h", "#include \"a/x.h\"\n"), IsEmpty());
  EXPECT_THAT(dependencies_of(kDeps, "src/b/x_fuzz.cc", "#include \"a/x.h\"\n"), IsEmpty());
  EXPECT_THAT(dependencies_of(kDeps, "src/b/x.cc", "#include <a/x.h>\n"),
              ElementsAre("CMakeLists.txt:2: dependencies: b does not include a; remove it from "
                          "DEPS"));
  EXPECT_THAT(dependencies_of(kDeps, "src/b/c/x.cc", "#include \"a/x.h\"\n"),
              ElementsAre(HasSubstr("b does not include a")));
}

TEST(Dependencies, ThatOnlyTestsIncludeAreTestDeps) {
  EXPECT_THAT(dependencies_of(kDeps, "src/b/x_test.cc", "#include \"a/x.h\"\n"),
              ElementsAre(HasSubstr("b does not include a; move it to TEST_DEPS")));
  EXPECT_THAT(dependencies_of(kTestDeps, "src/b/x_test.cc", "#include \"a/x.h\"\n"), IsEmpty());
  EXPECT_THAT(dependencies_of(kTestDeps, "src/b/x_test.cc", ""),
              ElementsAre(HasSubstr("the tests of b do not need a; remove it from TEST_DEPS")));
}

TEST(Dependencies, AreDeclaredOnce) {
  const char* twice = "surety_module(a)\nsurety_module(b DEPS a TEST_DEPS a)\n";
  const SourceTree tree{{make_file("CMakeLists.txt", twice),
                         make_file("src/b/x.cc", "#include \"a/x.h\"\n"),
                         make_file("src/b/x_test.cc", "#include \"a/x.h\"\n")}};
  EXPECT_THAT(texts(check_dependencies(tree)), ElementsAre(HasSubstr("remove it from TEST_DEPS")));
}

TEST(Dependencies, GeneratedMessagesAreModuleProto) {
  const char* proto = "surety_proto(proto)\nsurety_module(b DEPS proto)\n";
  EXPECT_THAT(dependencies_of(proto, "src/b/x.cc", "#include \"proto/x.pb.h\"\n"), IsEmpty());
}

TEST(Dependencies, OfAProgramAreIncludedByItsMainFile) {
  const char* program = "surety_module(a)\nsurety_program(p MAIN src/b/main.cc DEPS a)\n";
  EXPECT_THAT(dependencies_of(program, "src/b/main.cc", "#include \"a/x.h\"\n"), IsEmpty());
  EXPECT_THAT(dependencies_of(program, "src/b/x.cc", "#include \"a/x.h\"\n"),
              ElementsAre(HasSubstr("src/b/main.cc does not include a")));
}

}  // namespace dependencies_test
}  // namespace surety::lint
