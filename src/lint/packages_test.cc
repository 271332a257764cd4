#include "lint/packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace packages_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> packages_of(const char* list, const char* path = "src/a/x.cc",
                                     const char* text = "") {
  return texts(check_packages({{make_file("packages.txt", list), make_file(path, text)}}));
}

TEST(Packages, EveryLineHasAReason) {
  EXPECT_THAT(packages_of("# A list.\n\n[build]\ncmake  # builds\n"), IsEmpty());
  EXPECT_THAT(packages_of("cmake\nninja-build  #\n"),
              ElementsAre(HasSubstr("packages.txt:1"), HasSubstr("packages.txt:2")));
  EXPECT_THAT(texts(check_packages({})), ElementsAre(HasSubstr("missing")));
}

TEST(Packages, LibrariesSayWhichHeadersAreTheirs) {
  EXPECT_THAT(packages_of("[build]\nlibfmt-dev  # text\n"),
              ElementsAre(HasSubstr("libfmt-dev is a library")));
  EXPECT_THAT(packages_of("[build]\nlibopenblas0  # a fast BLAS\n"), IsEmpty());
}

TEST(Packages, LibraryThatNoFileIncludesIsNotInstalled) {
  const char* list = "[build]\nlibspdlog-dev  spdlog/  # the log\n";
  EXPECT_THAT(packages_of(list, "src/a/x.cc", "#include <spdlog/spdlog.h>\n"), IsEmpty());
  EXPECT_THAT(packages_of(list, "src/a/x.cc", "// #include <spdlog/spdlog.h>\n"),
              ElementsAre("packages.txt:2: packages: no file uses spdlog/ of libspdlog-dev; remove "
                          "the package, or use it"));
  EXPECT_EQ(packages_of(list, "src/a/x.cc", "#include <x/spdlog/spdlog.h>\n").size(), 1u);
  EXPECT_EQ(packages_of(list, "cmake/x.cmake", "find_package(spdlog)\n").size(), 1u);
}

TEST(Packages, ProgramsNeedMoreThanATestThatIncludesIt) {
  const char* include = "#include <gtest/gtest.h>\n";
  const char* build = "[build]\nlibgtest-dev  gtest/  # tests\n";
  const char* test = "[test]\nlibgtest-dev  gtest/  # tests\n";
  EXPECT_EQ(packages_of(build, "src/a/x_test.cc", include).size(), 1u);
  EXPECT_EQ(packages_of(build, "bench/a/x.cc", include).size(), 1u);
  EXPECT_THAT(packages_of(test, "src/a/x_test.cc", include), IsEmpty());
  EXPECT_THAT(packages_of(test, "bench/a/x.cc", include), IsEmpty());
}

TEST(Packages, GeneratedHeadersAndCompilerOptionsCount) {
  const char* proto = "[build]\nlibprotobuf-dev  .pb.h  # messages\n";
  EXPECT_THAT(packages_of(proto, "src/a/x.cc", "#include \"proto/x.pb.h\"\n"), IsEmpty());
  EXPECT_EQ(packages_of(proto, "src/a/x.cc", "#include \"proto/x.h\"\n").size(), 1u);
  const char* option = "[test]\nlibclang-rt-14-dev  -fsanitize=  # sanitizers\n";
  EXPECT_THAT(packages_of(option, "cmake/x.cmake", "add_compile_options(-fsanitize=thread)\n"),
              IsEmpty());
  EXPECT_EQ(packages_of(option, "src/a/x.cc", "// -fsanitize=thread\n").size(), 1u);
}

}  // namespace packages_test
}  // namespace surety::lint
